package org.apache.spark.sql.eventhubs.exactlyonce

import org.apache.spark.eventhubs.executor.ExecutorResources
import org.apache.spark.eventhubs.options.ReadSettings
import org.apache.spark.sql.eventhubs.sink.WriteIdentity

/**
 * A hub to which a batch was sent in an earlier run, and may be sent on if all events since can be read.
 *
 * @param settings for reading this hub
 * @param at       its ends before the batch
 * @param log      where they are recorded
 */
private[eventhubs] final case class RecordedHub(
    settings: ReadSettings,
    writeId: WriteIdentity,
    at: HubPositions,
    log: String
) {

  /** The hub's ends now; an error unless all events since the record can be read. */
  def readableEnd(): HubPositions = {
    val (reported, earliest) = ReadBack.reportedPositions(settings, Some(at))
    requireSameGeneration(reported)
    requireOnlyLater(reported)
    val now = ends(reported)
    at.fewerEventsIn(now).foreach(why => throw unknowable(why))
    at.until(now).foreach { range =>
      val first = earliest(range.partitionId)
      if (first > range.fromSeqNo)
        throw unknowable(
          s"partition ${range.partitionId} must be read from sequence number ${range.fromSeqNo}, and retention has removed " +
            s"the events before $first"
        )
    }
    now
  }

  private def ends(reported: HubPositions): HubPositions =
    new PartitionEnds(settings, ExecutorResources.get, checkCancelled = () => ()).after(reported)

  /**
   * An error when the hub is no longer the one of the record, or when a region was promoted since the run began. It may
   * lack what the run has sent, and also what it has found before.
   *
   * @param began the ends when the run began
   */
  def requireSameHub(began: HubPositions): Unit = {
    val (reported, _) = ReadBack.reportedPositions(settings, Some(began))
    requireSameGeneration(reported)
    // Only a hub with epochs can be promoted. Its reported ends may lag behind.
    if (began.epochs.nonEmpty) {
      began.promotionUntil(ends(reported))
        .foreach(why => throw ExactlyOnceErrors.promoted(at.hub, writeId.toString, why))
    }
  }

  /** An error when events that were sent since the record may lie before its positions, where nobody looks. */
  private def requireOnlyLater(now: HubPositions): Unit = {
    val isOnlyLater = (id: Int) => at.holdsIn(id, now)(ReadBack.epochAt(settings, id, _))
    if (!at.promotedUntil(now).forall(isOnlyLater)) at.promotionUntil(now).foreach(why => throw unknowable(why))
  }

  private def requireSameGeneration(now: HubPositions): Unit = {
    if (now.generation != at.generation)
      throw unknowable(s"the hub was recreated at ${now.generation.time}; the record is of ${at.generation}")
  }

  private def unknowable(why: String) =
    ExactlyOnceErrors.outcomeUnknown(at.hub, writeId.toString, s"'$log'", why)
}
