package org.apache.spark.sql.eventhubs.planning

import org.apache.spark.eventhubs.generation.HubGeneration
import org.apache.spark.eventhubs.{DataLoss, DataLossPolicy, EventHubName, EventHubsErrors}
import org.apache.spark.sql.eventhubs.EventHubsSourceOffset

/**
 * Checks that a checkpoint is used with the hub that it was written for. Refuses the checkpoint of another hub, and
 * detects a recreated hub even when its sequence numbers look plausible.
 */
private[eventhubs] final class HubIdentityTracker(
    file: HubIdentityFile,
    metadataPath: String,
    configured: EventHubName
) {

  private var known: Option[HubIdentity] = file.read()
  known.foreach { identity =>
    val sameName = identity.hub.name.equalsIgnoreCase(configured.name)
    if (!sameName || identity.hub.namespace != configured.namespace)
      throw EventHubsErrors.otherHub(metadataPath, identity.hub.toString, configured)
  }

  /**
   * The sequence numbers in an offset of this checkpoint. In a legacy checkpoint only the offsets name the hub.
   *
   * @throws org.apache.spark.eventhubs.EventHubsException EVENTHUBS_CHECKPOINT_OF_ANOTHER_HUB
   */
  def seqNosOf(offset: EventHubsSourceOffset): Map[Int, Long] = {
    val seqNos = offset.of(configured.name)
    if (seqNos.isEmpty)
      throw EventHubsErrors.otherHub(metadataPath, offset.sequenceNumbers.keys.toSeq.sorted.mkString(", "), configured)
    seqNos
  }

  /**
   * Compares the hub's generation with the checkpoint's, and reports a recreated hub as data loss. A checkpoint without
   * an identity adopts the hub's.
   *
   * @return whether the batch that starts at `start` must read the hub from its beginning
   */
  def detectRecreation(
      start: EventHubsSourceOffset,
      seqNos: Map[Int, Long],
      snapshot: HubSnapshot,
      policy: DataLossPolicy
  ): Boolean = known match {
    case None =>
      save(HubIdentity(configured, snapshot.generation, None))
      false
    case Some(identity) if identity.generation == snapshot.generation =>
      val restarts = restartsAfter(start)
      // The restart is over. The recreated hub will reach the old hub's last offset too, and must not restart there
      // again.
      if (!restarts && identity.restartedAfter.nonEmpty) save(identity.copy(restartedAfter = None))
      restarts
    case Some(identity) =>
      seqNos.toSeq.sortBy(_._1).foreach { case (partition, seqNo) =>
        val facts =
          s"the checkpoint was written for ${identity.generation}, but this is ${snapshot.generation}"
        policy.report(DataLoss(DataLoss.Kind.Recreated, partition, seqNo, seqNo, facts))
      }
      save(identity.copy(generation = snapshot.generation, restartedAfter = Some(start.json)))
      true
  }

  /**
   * The generation of the checkpoint's hub. A checkpoint without one adopts that of `snapshot` and writes it to
   * `hub.json`.
   */
  def generationOrAdopt(snapshot: => HubSnapshot): HubGeneration = known.fold[HubGeneration] {
    val adopted = snapshot.generation
    save(HubIdentity(configured, adopted, None))
    adopted
  }(_.generation)

  /** A batch ended at `end`: that offset now refers to the present generation, even if an older one ended there too. */
  def completeRestart(end: EventHubsSourceOffset): Unit =
    known.filter(_ => restartsAfter(end)).foreach(identity => save(identity.copy(restartedAfter = None)))

  /** Whether `start` is the last offset of an older generation, so that its batch starts at the hub's beginning. */
  def restartsAfter(start: EventHubsSourceOffset): Boolean = known.flatMap(_.restartedAfter).contains(start.json)

  private def save(identity: HubIdentity): Unit = {
    file.write(identity)
    known = Some(identity)
  }
}
