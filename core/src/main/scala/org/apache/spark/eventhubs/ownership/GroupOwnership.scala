package org.apache.spark.eventhubs.ownership

import java.time.Duration

import org.apache.spark.eventhubs.{EventHubName, EventHubsErrors, EventHubsException}
import org.apache.spark.internal.Logging
import org.apache.spark.util.Clock

/**
 * A streaming query's ownership of the partitions that it reads of one hub in its consumer group.
 *
 * @param checkpoints those in the store; asks the store
 * @param renewal     renews the ownership; its `close()` releases all partitions
 */
private[spark] final class GroupOwnership(
    owned: OwnedPartitions,
    hub: EventHubName,
    consumerGroup: String,
    checkpoints: () => Map[Int, GroupProgress],
    renewal: RenewedUntilClosed
) extends AutoCloseable
    with Logging {

  @volatile private var claimed = Set.empty[Int]

  /** The partitions that the last call of [[claim]] since [[release]] was about, and that the query owned after it. */
  @volatile private var lastClaim = Set.empty[Int]

  /** The next sequence numbers by what the store had when the partitions were claimed. */
  @volatile private var reached = Map.empty[Int, Long]

  /** Whether the query owns the partition, as far as it knows. Thread-safe. */
  def owns(partition: Int): Boolean = owned.partitions(partition)

  /** Whether the query has claimed partitions of the hub since the last [[release]]. */
  def isClaimed: Boolean = lastClaim.nonEmpty

  /** Whether the last claim had the partition; the query may have lost it since. */
  def hasClaimed(partition: Int): Boolean = lastClaim(partition)

  /**
   * Claims the partitions that are not owned yet, or none of them.
   *
   * @return None when all are owned; EVENTHUBS_OWNERSHIP.HELD when another owner has one of them, and
   *         EVENTHUBS_OWNERSHIP.LOST when another one has claimed it since the last [[release]]
   */
  def claim(partitions: Set[Int]): Option[EventHubsException] = {
    val missing = partitions -- owned.partitions
    owned.loss match {
      case Some(lost) => Some(EventHubsErrors.ownershipLost(hub, consumerGroup, lost.partitionId, lost.how))
      case None if missing.isEmpty =>
        lastClaim = partitions
        None
      case None =>
        // First, because the publisher may write the moment a partition is owned.
        claimed ++= missing
        val other =
          try owned.claim(partitions)
          catch {
            case failed: Throwable =>
              claimed --= missing
              throw failed
          }
        if (other.isEmpty) {
          lastClaim = partitions
          logInfo(
            s"Owns the partitions ${missing.toSeq.sorted.mkString(", ")} of $hub in consumer group $consumerGroup"
          )
        } else claimed --= missing
        other.map(active => EventHubsErrors.ownershipHeld(hub, consumerGroup, active.partitionId, active.ownerId))
    }
  }

  /** Others can claim the partitions at once. */
  def release(): Unit = {
    lastClaim = Set.empty
    owned.release()
  }

  /** Where others have read the partitions that were claimed since the last call, as far as the store has it. */
  def takenOver(): Map[Int, GroupProgress] =
    if (claimed.isEmpty) Map.empty
    else {
      val found = checkpoints().filter { case (partition, _) => claimed(partition) }
      reached = reached -- claimed ++ found.map { case (partition, progress) => partition -> progress.nextSeqNo }
      claimed = Set.empty
      found
    }

  /**
   * Whether a checkpoint at this event is news: the query owns the partition, and the consumers before have not read as
   * far. A query that restarts knows the end of its own last batch, and others may have read on since. Thread-safe.
   */
  def mayPublish(partition: Int, seqNo: Long): Boolean =
    owns(partition) && !claimed(partition) && reached.get(partition).forall(seqNo >= _)

  /**
   * The query reads on from here. A start before the checkpoint of the consumers before means that the hub has lost
   * their events, as a recreated one has. From then on that checkpoint is no reason to publish none.
   *
   * @param starts the next sequence number of each partition
   */
  def continuesAt(starts: Map[Int, Long]): Unit =
    reached = reached.filter { case (partition, next) => starts.get(partition).forall(_ >= next) }

  /** Begins what [[close]] waits for. */
  def startClosing(): Unit = renewal.startClosing()

  /** Releases all partitions. The checkpoints must be in the store by then: the next owner continues there. */
  override def close(): Unit = renewal.close()
}

private[spark] object GroupOwnership {

  /**
   * Starts the thread that renews. Claims nothing yet.
   *
   * @param expiration  age at which an ownership that was not renewed may be claimed by others
   * @param checkpoints those in the store; asks the store
   * @param isNeeded    whether the query still runs
   */
  def start(
      store: OwnershipStore,
      owner: OwnerId,
      expiration: Duration,
      hub: EventHubName,
      consumerGroup: String,
      checkpoints: () => Map[Int, GroupProgress],
      clock: Clock,
      isNeeded: () => Boolean
  ): GroupOwnership = {
    val owned = new OwnedPartitions(store, owner, expiration.toMillis, clock)
    val renewal = new OwnershipRenewal(owned, OwnershipRenewal.pause(expiration), isNeeded)
    new GroupOwnership(owned, hub, consumerGroup, checkpoints, renewal)
  }
}
