package org.apache.spark.eventhubs

import org.apache.spark.internal.Logging

/**
 * Events that a query should read and that the hub no longer has.
 *
 * @param untilSeqNo exclusive; equal to `fromSeqNo` when the number of lost events is unknown. Reports then name no end
 * @param details    evidence of the loss, as part of a sentence
 */
private[spark] final case class DataLoss(
    kind: DataLoss.Kind,
    partitionId: Int,
    fromSeqNo: Long,
    untilSeqNo: Long,
    details: String
) {

  /** Counts at least 1, because a loss can be certain while its size is unknown. */
  def count: Long = math.max(1L, untilSeqNo - fromSeqNo)

  def isCounted: Boolean = untilSeqNo > fromSeqNo

  /** Which events, as part of a sentence. */
  def events: String =
    if (isCounted) s"sequence numbers $fromSeqNo until $untilSeqNo" else s"from sequence number $fromSeqNo on"
}

private[spark] object DataLoss {

  /**
   * The partition ends before events that it had, but the hub was not recreated. How many events are lost is unknown:
   * the query has read those before `position`, also the ones that have expired.
   *
   * @param position first event that the query has not read
   */
  def shrunk(partitionId: Int, position: Long, facts: String): DataLoss =
    DataLoss(Kind.Recreated, partitionId, position, position, facts)

  /**
   * The hub was recreated. How many events the old hub still had is unknown. The events that the new hub has lost
   * already are counted.
   *
   * @param position first event that the query has not read
   * @param earliest first event that the new hub retains
   */
  def recreated(partitionId: Int, position: Long, earliest: Long, facts: String): DataLoss =
    if (earliest <= 0) DataLoss(Kind.Recreated, partitionId, position, position, facts)
    else
      DataLoss(
        Kind.Recreated,
        partitionId,
        0L,
        earliest,
        s"the query was at sequence number $position, $facts, and the first retained event is $earliest"
      )

  /** What happened to the events. Each kind is a condition. */
  type Kind = ErrorCondition.DataLoss
  val Kind: ErrorCondition.DataLoss.type = ErrorCondition.DataLoss
}

/**
 * Reacts to data loss. A loss always fails the query or is logged and counted.
 *
 * @param failOnDataLoss true throws the error; false logs it as a warning, counts the events and returns
 * @param onLost         receives the number of lost events
 * @param onExpiredAtStart receives the number of events that [[skipAtStart]] skips
 */
private[spark] final class DataLossPolicy(
    hub: EventHubName,
    consumerGroup: String,
    failOnDataLoss: Boolean,
    onLost: Long => Unit,
    onExpiredAtStart: Long => Unit = _ => ()
) extends Logging {

  def report(loss: DataLoss): Unit = {
    val error = EventHubsErrors.dataLoss(hub, consumerGroup, loss)
    if (failOnDataLoss) throw error
    logWarning(s"Continuing, because failOnDataLoss is false: ${error.getMessage}")
    onLost(loss.count)
  }

  /**
   * Events before the first one that a query with the start `earliest` reads are no loss, whenever retention removes
   * them: the query starts at the earliest event that still exists.
   */
  def skipAtStart(partitionId: Int, fromSeqNo: Long, untilSeqNo: Long): Unit = {
    logInfo(
      s"Partition $partitionId of $hub starts at sequence number $untilSeqNo: since 'earliest' was resolved, retention " +
        s"removed the events from $fromSeqNo on. They are not data loss."
    )
    onExpiredAtStart(untilSeqNo - fromSeqNo)
  }
}
