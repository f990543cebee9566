package org.apache.spark.eventhubs

import org.apache.spark.internal.Logging

/**
 * Events that a query should read and that the hub no longer has.
 *
 * @param untilSeqNo exclusive; equal to `fromSeqNo` when the number of lost events is unknown
 * @param details    evidence of the loss, as part of a sentence
 */
private[spark] final case class DataLoss(
    kind: DataLoss.Kind,
    partitionId: Int,
    fromSeqNo: Long,
    untilSeqNo: Long,
    details: String
) {

  /** At least 1, because a loss can be certain while its size is unknown. */
  def count: Long = math.max(1L, untilSeqNo - fromSeqNo)
}

private[spark] object DataLoss {
  sealed abstract class Kind(val condition: String)
  object Kind {

    /** Retention removed events before they were read. */
    case object Expired extends Kind("EVENTHUBS_DATA_LOSS.EXPIRED")

    /** The hub was recreated or failed over. Its sequence numbers restarted. */
    case object Recreated extends Kind("EVENTHUBS_DATA_LOSS.RECREATED")
    case object PartitionRemoved extends Kind("EVENTHUBS_DATA_LOSS.PARTITION_REMOVED")

    /** Sequence numbers are missing inside the retained range: compaction, or a fault of the service. */
    case object Gap extends Kind("EVENTHUBS_DATA_LOSS.GAP")
  }
}

/**
 * Reacts to data loss. A loss always fails the query or is logged and counted.
 *
 * @param failOnDataLoss true throws the error; false logs it as a warning, counts the events and returns
 * @param onLost         receives the number of lost events
 */
private[spark] final class DataLossPolicy(
    hub: EventHubName,
    consumerGroup: String,
    failOnDataLoss: Boolean,
    onLost: Long => Unit
) extends Logging {

  def report(loss: DataLoss): Unit = {
    val error = EventHubsErrors.dataLoss(hub, consumerGroup, loss)
    if (failOnDataLoss) throw error
    logWarning(s"Continuing, because failOnDataLoss is false: ${error.getMessage}")
    onLost(loss.count)
  }
}
