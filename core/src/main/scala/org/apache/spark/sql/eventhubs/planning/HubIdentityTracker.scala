package org.apache.spark.sql.eventhubs.planning

import org.apache.spark.eventhubs.DataLoss
import org.apache.spark.eventhubs.DataLossPolicy
import org.apache.spark.eventhubs.EventHubName
import org.apache.spark.eventhubs.EventHubsErrors
import org.apache.spark.eventhubs.generation.HubGeneration
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
      remember(HubIdentity(configured, snapshot.createdAt, None))
      false
    case Some(identity) if identity.createdAt == snapshot.createdAt =>
      val begins = beginsAnewAfter(start)
      // The batch that began anew is done. The new hub will come past the old one's last offset too, which is nothing then.
      if (!begins && identity.restartedAfter.nonEmpty) remember(identity.copy(restartedAfter = None))
      begins
    case Some(identity) =>
      seqNos.toSeq.sortBy(_._1).foreach { case (partition, seqNo) =>
        val facts =
          s"the checkpoint knows the hub created at ${identity.createdAt}, this one was created at ${snapshot.createdAt}"
        policy.report(DataLoss(DataLoss.Kind.Recreated, partition, seqNo, seqNo, facts))
      }
      remember(identity.copy(createdAt = snapshot.createdAt, restartedAfter = Some(start.json)))
      true
  }

  /** The hub whose events the checkpoint's offsets count. Asks for it only where the checkpoint does not know. */
  def scope(snapshot: => HubSnapshot): HubGeneration = {
    if (known.isEmpty) remember(HubIdentity(configured, snapshot.createdAt, None))
    HubGeneration.CreatedAt(known.fold(snapshot.createdAt)(_.createdAt))
  }

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
