package org.apache.spark.eventhubs.rdd

import org.apache.spark.TaskContext
import org.apache.spark.eventhubs.amqp.ReceivedEvent
import org.apache.spark.eventhubs.executor.ExecutorResources
import org.apache.spark.eventhubs.generation.{HubGeneration, HubGenerationCheck}
import org.apache.spark.eventhubs.options.ReadSettings
import org.apache.spark.eventhubs.{DataLoss, DataLossPolicy}

/**
 * The one read loop of this connector, for ranges with and without an end: every event once, in sequence. A gap is
 * explained (removed by retention, say) or it fails the task. Used by one task, whose thread alone calls it.
 *
 * @param generation the hub that the range was planned for: another one of its name has other events under these numbers
 * @param onLost     called with the number of lost events, when `failOnDataLoss` is off
 */
private[eventhubs] final class SequenceReader(
    range: OffsetRange,
    settings: ReadSettings,
    resources: ExecutorResources,
    context: TaskContext,
    generation: HubGeneration,
    onLost: Long => Unit
) {

  import SequenceReader._

  private val policy =
    new DataLossPolicy(settings.connection.hub, settings.consumerGroup, settings.failOnDataLoss, onLost)
  private var expectedSeqNo = range.fromSeqNo
  private var doubtedGapAt = -1L

  val stopped: () => Boolean = () => context.isInterrupted()

  /** A retried task gets a new one: its first attempt may have failed because of the cached one. */
  val receiver = resources.receivers
    .acquire(settings, range.partitionId, generation, range.fromSeqNo, fresh = context.attemptNumber() > 0)

  /** Whether the hub of now is still the planned one. */
  val generationCheck = new HubGenerationCheck(
    generation,
    settings.connection,
    () => receiver.hubGeneration(),
    resources.verifiedGenerations
  )

  /** Sequence number of the first event that is neither read nor lost. */
  def expected: Long = expectedSeqNo

  /** The event that the last [[Step.Event]] stopped at. */
  def current: ReceivedEvent = receiver.event

  /** Waits for the next event for at most `millis`. Events from `range.untilSeqNo` on are not taken. */
  def advance(millis: Long): Step =
    if (!receiver.advanceWithin(stopped, millis)) Step.Silence
    else {
      val another = if (receiver.isLinkVerified) None else verifyLink()
      if (another.isDefined) Step.AnotherGeneration(another.get) else take()
    }

  /** Reports the events from [[expected]] to `until` as lost; reading continues there. */
  def lose(kind: DataLoss.Kind, until: Long, facts: String): Unit = {
    policy.report(DataLoss(kind, range.partitionId, expectedSeqNo, until, facts))
    expectedSeqNo = until
  }

  /** Continues at another number without counting a loss: the events before it belong to a hub that is gone. */
  def skipTo(seqNo: Long): Unit = expectedSeqNo = seqNo

  /** @param served events that the task was given */
  def report(served: Long): RangeReport = {
    val metrics = receiver.metrics
    RangeReport(
      range.partitionId,
      served,
      metrics.bytes,
      metrics.waitedMillis,
      metrics.linksOpened,
      metrics.throttled,
      Option.when(served > 0)(current.enqueuedMillis)
    )
  }

  /** Checked once the link has brought an event, because only then it is certain which hub the link leads to. */
  private def verifyLink(): Option[String] = {
    val another = generationCheck.differenceFor(current.enqueuedMillis)
    if (another.isEmpty) receiver.markLinkVerified()
    another
  }

  private def take(): Step = {
    val found = current.sequenceNumber
    if (found != expectedSeqNo && !isGapExplained(found)) Step.GapDoubted
    else {
      expectedSeqNo = found + 1
      if (found < range.untilSeqNo) Step.Event else Step.PastEnd
    }
  }

  /** Events are missing before `found`. False when the reader should check once more, over a new link. */
  private def isGapExplained(found: Long): Boolean = {
    val end = math.min(found, range.untilSeqNo)
    val earliest = receiver.bounds().earliest
    if (earliest > expectedSeqNo) lose(DataLoss.Kind.Expired, end, s"the first retained event is $earliest")
    else if (doubtedGapAt == expectedSeqNo) lose(DataLoss.Kind.Gap, end, s"event $found came next, twice")
    else {
      doubtedGapAt = expectedSeqNo
      receiver.reopenAt(expectedSeqNo)
    }
    expectedSeqNo == end
  }
}

private[eventhubs] object SequenceReader {

  /** What one call of `advance` found. */
  sealed trait Step
  object Step {

    /** The next event of the range is at hand. */
    case object Event extends Step

    /** The next event lies behind the end of the range. */
    case object PastEnd extends Step

    /** Nothing has come in time. */
    case object Silence extends Step

    /** Events seem to be missing; the link was reopened to check that. */
    case object GapDoubted extends Step

    /** The link leads to another generation of the hub; nothing of it is read. */
    final case class AnotherGeneration(facts: String) extends Step
  }
}
