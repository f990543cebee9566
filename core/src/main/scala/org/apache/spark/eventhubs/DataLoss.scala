package org.apache.spark.eventhubs

import org.apache.spark.internal.Logging

/** Events that a query should have read and that the hub no longer has. */
final case class DataLoss(kind: DataLoss.Kind, partitionId: Int, fromSeqNo: Long, untilSeqNo: Long, facts: String) {

  /** At least one: that something is missing is known even when the number is not. */
  def count: Long = math.max(1L, untilSeqNo - fromSeqNo)
}

object DataLoss {
  sealed abstract class Kind(val condition: String)
  object Kind {

    /** Retention removed events before they were read. */
    case object Expired extends Kind("EVENTHUBS_DATA_LOSS.EXPIRED")

    /** The hub was deleted and made anew, or failed over: its sequence numbers began again. */
    case object Recreated extends Kind("EVENTHUBS_DATA_LOSS.RECREATED")
    case object PartitionRemoved extends Kind("EVENTHUBS_DATA_LOSS.PARTITION_REMOVED")

    /** Numbers are missing inside the retained range: compaction, or a fault of the service. */
    case object Gap extends Kind("EVENTHUBS_DATA_LOSS.GAP")
  }
}

/**
 * What happens when data is lost: never nothing.
 *
 * @param failOnDataLoss true stops the query with all the facts; false logs them, counts the events and lets the caller go on
 */
final class DataLossPolicy(hub: EventHubName, consumerGroup: String, failOnDataLoss: Boolean, onLost: Long => Unit)
    extends Logging {

  def report(loss: DataLoss): Unit = {
    val error = EventHubsErrors.dataLoss(hub, consumerGroup, loss)
    if (failOnDataLoss) throw error
    logWarning(s"Going on, because failOnDataLoss is false: ${error.getMessage}")
    onLost(loss.count)
  }
}
