package org.apache.spark.eventhubs.ownership

import org.apache.spark.eventhubs.checkpoints.StoredCheckpoint
import org.apache.spark.eventhubs.options.ReadSettings
import org.apache.spark.eventhubs.{EventHubsErrors, EventHubsException}
import org.apache.spark.internal.Logging

/**
 * A streaming query's ownership of the partitions that it reads of one hub in its consumer group. It claims a partition
 * before it reads it for the first time. One that it loses stops it.
 *
 * @param renewal     renews the ownership; its `close()` releases all partitions
 * @param settings    of this hub
 * @param checkpoints those in the store; asks the store
 */
private[spark] final class GroupOwnership(
    owned: OwnedPartitions,
    renewal: OwnershipRenewal,
    settings: ReadSettings,
    checkpoints: () => Map[Int, StoredCheckpoint]
) extends AutoCloseable
    with Logging {

  private val hub = settings.connection.hub

  /** The partitions that were claimed and that no batch was planned with. */
  @volatile private var unplanned = Set.empty[Int]

  /** How far the consumers before have read each partition, once the query knows it; None for no checkpoint. */
  @volatile private var reached = Map.empty[Int, Option[StoredCheckpoint]]

  /**
   * Claims the partitions that are not owned yet, or none of them.
   *
   * @return None when all are owned; EVENTHUBS_OWNERSHIP.HELD when another owner has one of them
   * @throws org.apache.spark.eventhubs.EventHubsException EVENTHUBS_OWNERSHIP.LOST when the query has lost one
   */
  def claim(partitions: Set[Int]): Option[EventHubsException] = {
    owned.loss.foreach { lost =>
      throw EventHubsErrors.ownershipLost(hub, settings.consumerGroup, lost.partitionId, lost.how)
    }
    val missing = partitions -- owned.partitions
    val other = if (missing.isEmpty) None else owned.claim(partitions)
    if (other.isEmpty && missing.nonEmpty) {
      unplanned ++= missing
      logInfo(
        s"Owns the partitions ${missing.toSeq.sorted.mkString(", ")} of $hub in consumer group ${settings.consumerGroup}"
      )
    }
    other.map(active => EventHubsErrors.ownershipHeld(hub, settings.consumerGroup, active.partitionId, active.ownerId))
  }

  /**
   * Asks the store how far others have read the partitions that were claimed since the last call.
   *
   * @return whether there are such partitions
   */
  def noteReached(): Boolean = {
    val claimed = unplanned -- reached.keySet
    if (claimed.nonEmpty) {
      val stored = checkpoints()
      reached ++= claimed.map(partition => partition -> stored.get(partition))
    }
    claimed.nonEmpty
  }

  /**
   * Claims the partitions of a batch that are not owned yet: the hub may have new ones. A running query does not wait
   * for them, because it would keep the others meanwhile. Its restart waits.
   *
   * @return whether [[others]] may have changed
   * @throws org.apache.spark.eventhubs.EventHubsException EVENTHUBS_OWNERSHIP.HELD or EVENTHUBS_OWNERSHIP.LOST
   */
  def ensure(partitions: Set[Int]): Boolean = {
    claim(partitions).foreach(held => throw held)
    noteReached()
  }

  /** The checkpoints of others in the partitions that were claimed and that no batch was planned with. */
  def others: Map[Int, StoredCheckpoint] =
    reached.collect { case (partition, Some(checkpoint)) if unplanned(partition) => partition -> checkpoint }

  /**
   * A batch is planned from here. A start before the checkpoint of the consumers before means that the hub has lost
   * their events, as a recreated one has. From then on that checkpoint is no reason to publish none.
   *
   * @param starts the next sequence number of each partition
   */
  def continuesAt(starts: Map[Int, Long]): Unit = {
    unplanned --= starts.keySet
    reached = reached.map { case (partition, stored) =>
      partition -> stored.filter(before => starts.get(partition).forall(start => before.nextSeqNo.forall(start >= _)))
    }
  }

  /**
   * Whether a checkpoint at this event is news: the query owns the partition, and the consumers before have not read as
   * far. A query that restarts knows the end of its own last batch, and others may have read on since. Thread-safe.
   */
  def mayPublish(partition: Int, seqNo: Long): Boolean =
    owned.partitions(partition) && reached.get(partition).exists(_.flatMap(_.nextSeqNo).forall(seqNo >= _))

  /** Others can claim the partitions at once. */
  def release(): Unit = {
    unplanned = Set.empty
    reached = Map.empty
    owned.release()
  }

  /** Begins what [[close]] waits for. */
  def startClosing(): Unit = renewal.startClosing()

  /** Releases all partitions. The checkpoints must be in the store by then: the next owner continues there. */
  override def close(): Unit = renewal.close()
}
