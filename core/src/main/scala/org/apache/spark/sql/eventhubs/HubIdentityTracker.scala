package org.apache.spark.sql.eventhubs

import org.apache.spark.eventhubs.{DataLoss, DataLossPolicy, EventHubName, EventHubsErrors}

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
      throw EventHubsErrors.otherHub(metadataPath, identity.hub, configured)
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
    case Some(identity) if identity.createdAt == snapshot.createdAt => beginsAnewAfter(start)
    case Some(identity) =>
      seqNos.toSeq.sortBy(_._1).foreach { case (partition, seqNo) =>
        val facts =
          s"the checkpoint knows the hub created at ${identity.createdAt}, this one was created at ${snapshot.createdAt}"
        policy.report(DataLoss(DataLoss.Kind.Recreated, partition, seqNo, seqNo, facts))
      }
      remember(identity.copy(createdAt = snapshot.createdAt, restartedAfter = Some(start.json)))
      true
  }

  /** Whether `start` is the last offset of an older hub. */
  def beginsAnewAfter(start: EventHubsSourceOffset): Boolean = known.flatMap(_.restartedAfter).contains(start.json)

  private def remember(identity: HubIdentity): Unit = {
    file.write(identity)
    known = Some(identity)
  }
}
