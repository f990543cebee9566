package org.apache.spark.eventhubs.rdd

import org.apache.spark.TaskContext
import org.apache.spark.eventhubs.amqp.ReceivedEvent
import org.apache.spark.eventhubs.executor.ExecutorResources
import org.apache.spark.eventhubs.generation.HubGeneration
import org.apache.spark.eventhubs.options.ReadSettings
import org.apache.spark.eventhubs.service.Verdict
import org.apache.spark.eventhubs.{DataLoss, DataLossPolicy}

/**
 * The one read loop of this connector, for ranges with and without an end. It reads each event once, in sequence. A gap
 * has an explanation, such as retention, or it fails the task. Only the task's thread calls it.
 *
 * @param generation the hub that the range was planned for: a recreated hub has other events under these numbers
 * @param onLost     called with the number of lost events, when `failOnDataLoss` is off
 * @param onExpiredAtStart called with the number of events that expired before the first read of a start `earliest`
 */
private[eventhubs] final class SequenceReader(
    range: OffsetRange,
    settings: ReadSettings,
    resources: ExecutorResources,
    context: TaskContext,
    generation: HubGeneration,
    onLost: Long => Unit,
    onExpiredAtStart: Long => Unit
) {

  import SequenceReader._

  private val policy = new DataLossPolicy(
    settings.connection.hub,
    settings.consumerGroup,
    settings.failOnDataLoss,
    onLost,
    onExpiredAtStart
  )

  private var expectedSeqNo = range.fromSeqNo
  private var hasRead = false
  private var lastAccepted = -1L
  private var suspected = Option.empty[Gap]

  /** A link was opened at the beginning of the partition. Its first event shows what the partition retains. */
  private var isFirstWanted = false
  private var isFirstRetained = false
  private var compactedAway = 0L

  val stopped: () => Boolean = () => context.isInterrupted()

  /** A retried task gets a new receiver, because the cached one may have made its first attempt fail. */
  val receiver = resources.receivers
    .acquire(settings, range.partitionId, generation, range.fromSeqNo, fresh = context.attemptNumber() > 0)

  val hub = new PlannedHub(range, generation, settings.connection, receiver, resources, stopped)

  /** Events up to this epoch are delivered. */
  private var acceptedEpoch = hub.epoch.getOrElse(Int.MaxValue)

  /** Sequence number of the first event that is neither read nor lost. */
  def expected: Long = expectedSeqNo

  /** The event of the last [[Step.Event]]. */
  def current: ReceivedEvent = receiver.event

  /** Waits for an event for at most `millis`. False when none came. */
  def receive(millis: Long): Boolean = {
    // After a silence, the caller has opened another link, at `expected`.
    isFirstRetained = isFirstWanted && receiver.nextSeqNo == Beginning
    receiver.advanceWithin(stopped, millis)
  }

  /** Checks the event that [[receive]] found. It is part of the range after [[Step.Event]] only. */
  def accept(): Step = {
    val another = if (receiver.isLinkVerified) None else verifyLink()
    val promoted = if (acceptedEpoch < Int.MaxValue && current.epoch > acceptedEpoch) confirmPromotion() else None
    if (another.isDefined) Step.AnotherGeneration(another.get)
    else if (promoted.isDefined) Step.AnotherGeneration(promoted.get)
    else checkSequence()
  }

  /** Reports the events from [[expected]] to `until` as lost; reading continues there. */
  def lose(kind: DataLoss.Kind, until: Long, facts: String): Unit = {
    policy.report(DataLoss(kind, range.partitionId, expectedSeqNo, until, facts))
    expectedSeqNo = until
  }

  /**
   * The events from [[expected]] to `until` have expired. They are lost, unless nothing of an `earliest` start is read.
   */
  def expire(until: Long, facts: String): Unit =
    if (isUnreadStart) {
      policy.skipAtStart(range.partitionId, expectedSeqNo, until)
      expectedSeqNo = until
    } else lose(DataLoss.Kind.Expired, until, facts)

  private def isUnreadStart: Boolean = range.startsAtEarliest && !hasRead

  /** The partition ends before events that were read. Reports that; reading continues at the first retained event. */
  def restart(earliest: Long, facts: String): Unit = {
    policy.report(DataLoss.shrunk(range.partitionId, expectedSeqNo, facts))
    expectedSeqNo = earliest
  }

  /** Sequence numbers whose events compaction has removed. */
  def absent: Long = compactedAway

  /** The service has said that no event is before `until`: compaction has removed the rest. */
  def passAbsent(until: Long): Unit = {
    compactedAway += until - expectedSeqNo
    expectedSeqNo = until
  }

  /** @param served events that the task has got */
  def report(served: Long): RangeReport = {
    val metrics = receiver.metrics
    RangeReport(
      range.nameAndPartition,
      served,
      metrics.bytes,
      metrics.waitedMillis,
      metrics.linksOpened,
      metrics.throttled,
      Option.when(served > 0)(current.enqueuedMillis),
      // After the event may come one of another hub or epoch, or of the next range. Its checkpoint would skip events.
      Option.when(served > 0 && current.sequenceNumber == lastAccepted)(
        LastEvent(range.nameAndPartition, lastAccepted, current.offset)
      )
    )
  }

  private def verifyLink(): Option[Verdict.Gone] = {
    val another = hub.recreatedBefore(current)
    if (another.isEmpty) receiver.markLinkVerified()
    another
  }

  /** If the hub is the planned one, its events have other epochs than its answers. */
  private def confirmPromotion(): Option[Verdict.Gone] = {
    val promoted = hub.promotedBefore(current)
    if (promoted.isEmpty) acceptedEpoch = current.epoch
    promoted
  }

  private def checkSequence(): Step = {
    val found = current.sequenceNumber
    isFirstWanted = false
    if (isFirstRetained && found < expectedSeqNo) confirmedGap()
    else if (found != expectedSeqNo && !isGapExplained(found)) Step.SuspectedGap
    else {
      expectedSeqNo = found + 1
      if (found < range.untilSeqNo) {
        hasRead = true
        lastAccepted = found
        hub.eventArrived()
        Step.Event
      } else Step.PastEnd
    }
  }

  /** Events are missing before `found`. False when a new link has to confirm that. */
  private def isGapExplained(found: Long): Boolean = {
    val end = math.min(found, range.untilSeqNo)
    if (settings.compacted) passGap(end) else confirmGap(found, end)
    expectedSeqNo == end
  }

  /** Compaction leaves gaps, so only expired events are a loss. Asks for those rarely, because gaps are many. */
  private def passGap(end: Long): Unit = {
    if (receiver.mayHaveExpired()) {
      val earliest = hub.bounds().earliest
      if (earliest > expectedSeqNo)
        expire(math.min(earliest, end), s"the first retained event is $earliest")
    }
    passAbsent(end)
  }

  /**
   * The answer about the first retained event may lag behind (azure-event-hubs-spark#488). Then the events before the
   * first one that a link at the beginning of the partition brings have expired.
   */
  private def confirmGap(found: Long, end: Long): Unit = {
    val first = if (isFirstRetained) found else hub.bounds().earliest
    if (first > expectedSeqNo) expire(math.min(end, first), s"the first retained event is $first")
    val gap = Gap(expectedSeqNo, end, s"event $found came next, twice")
    if (expectedSeqNo == end) ()
    else if (suspected.forall(_.from != gap.from)) receiver.reopenAt(expectedSeqNo)
    else if (isUnreadStart || settings.failOnDataLoss) {
      isFirstWanted = true
      receiver.reopenAt(Beginning)
    } else lose(DataLoss.Kind.Gap, gap.until, gap.facts)
    suspected = Some(gap)
  }

  /** The partition retains an event before the gap, so the events in the gap have not expired. */
  private def confirmedGap(): Step = {
    suspected.foreach(gap => lose(DataLoss.Kind.Gap, gap.until, gap.facts))
    receiver.reopenAt(expectedSeqNo)
    Step.SuspectedGap
  }
}

private[eventhubs] object SequenceReader {

  /** Where a link begins with the first retained event. */
  private val Beginning = 0L

  /** Sequence numbers whose events did not come. @param until exclusive */
  private final case class Gap(from: Long, until: Long, facts: String)

  /** What the next event means for the range. */
  sealed trait Step
  object Step {

    /** The next event of the range. */
    case object Event extends Step

    /** The event lies at or after the end of the range. */
    case object PastEnd extends Step

    /** Events seem to be missing. The link was reopened to check that. */
    case object SuspectedGap extends Step

    /** The link leads to another generation of the hub, or to another epoch. Its events are not delivered. */
    final case class AnotherGeneration(gone: Verdict.Gone) extends Step
  }
}
