package org.apache.spark.sql.eventhubs.planning

import org.apache.spark.eventhubs.generation.HubGeneration
import org.apache.spark.eventhubs.{DataLoss, DataLossPolicy, EventHubName, EventHubsErrors}
import org.apache.spark.sql.eventhubs.EventHubsSourceOffset

/**
 * Holds a checkpoint to the hub that it was written for: refuses another hub's, and notices when the hub was deleted
 * and made anew, even where the new sequence numbers look plausible.
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
   * The sequence numbers in an offset of this checkpoint. A legacy checkpoint tells nowhere else which hub it is of.
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
   * Compares the hub with the one that the checkpoint knows; a checkpoint without an identity takes the hub's.
   *
   * @return whether the batch that starts at `start` has to read the hub from its beginning
   */
  def noticeRecreation(
      start: EventHubsSourceOffset,
      seqNos: Map[Int, Long],
      snapshot: HubSnapshot,
      policy: DataLossPolicy
  ): Boolean = known match {
    case None =>
      remember(HubIdentity(configured, snapshot.generation, None))
      false
    case Some(identity) if identity.generation == snapshot.generation =>
      val begins = beginsAnewAfter(start)
      // The batch that began anew is done. The new hub will come past the old one's last offset too, which is nothing then.
      if (!begins && identity.restartedAfter.nonEmpty) remember(identity.copy(restartedAfter = None))
      begins
    case Some(identity) =>
      seqNos.toSeq.sortBy(_._1).foreach { case (partition, seqNo) =>
        val facts =
          s"the checkpoint was written for ${identity.generation}, but this is ${snapshot.generation}"
        policy.report(DataLoss(DataLoss.Kind.Recreated, partition, seqNo, seqNo, facts))
      }
      remember(identity.copy(generation = snapshot.generation, restartedAfter = Some(start.json)))
      true
  }

  /** The generation of the checkpoint's hub. A checkpoint without one adopts that of `snapshot`, and keeps it in the file. */
  def generationOrAdopt(snapshot: => HubSnapshot): HubGeneration = known.fold[HubGeneration] {
    val adopted = snapshot.generation
    remember(HubIdentity(configured, adopted, None))
    adopted
  }(_.generation)

  /** The batch that began the hub anew is over, at `end`: from now on that offset is one of the present hub. */
  def noticeBegun(end: EventHubsSourceOffset): Unit =
    known.filter(_ => beginsAnewAfter(end)).foreach(identity => remember(identity.copy(restartedAfter = None)))

  /** Whether `start` is the last offset of an older hub. */
  def beginsAnewAfter(start: EventHubsSourceOffset): Boolean = known.flatMap(_.restartedAfter).contains(start.json)

  private def remember(identity: HubIdentity): Unit = {
    file.write(identity)
    known = Some(identity)
  }
}
