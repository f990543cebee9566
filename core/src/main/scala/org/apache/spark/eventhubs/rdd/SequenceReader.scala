package org.apache.spark.eventhubs.rdd

import org.apache.spark.TaskContext
import org.apache.spark.eventhubs.amqp.ReceivedEvent
import org.apache.spark.eventhubs.executor.ExecutorResources
import org.apache.spark.eventhubs.generation.HubGeneration
import org.apache.spark.eventhubs.options.{ReadOptions, ReadSettings}
import org.apache.spark.eventhubs.service.Verdict
import org.apache.spark.eventhubs.{DataLossPolicy, EventHubsErrors, EventHubsException}
import org.apache.spark.internal.Logging

/**
 * The one read loop of this connector, for ranges with and without an end. It reads each event once, in sequence. A gap
 * has an explanation, such as retention, or it fails the task. Here are the link and the clock; [[ReadRules]] decide.
 * Only the task's thread calls it.
 *
 * @param hasEnd     whether all events of the range are known to exist; otherwise its end is ignored
 * @param generation the hub that the range was planned for: a recreated hub has other events under these numbers
 * @param onLost     called with the number of lost events, when `failOnDataLoss` is off
 * @param onExpiredAtStart called with the number of events that expired before the first read of a start `earliest`
 */
private[rdd] final class SequenceReader(
    range: OffsetRange,
    hasEnd: Boolean,
    settings: ReadSettings,
    resources: ExecutorResources,
    context: TaskContext,
    generation: HubGeneration,
    onLost: Long => Unit,
    onExpiredAtStart: Long => Unit
) extends Logging {

  private val clock = resources.clock
  private val policy = new DataLossPolicy(
    settings.connection.hub,
    settings.consumerGroup,
    settings.failOnDataLoss,
    onLost,
    onExpiredAtStart
  )
  private val stopped: () => Boolean = () => context.isInterrupted()

  /** A retried task gets a new receiver, because the cached one may have made its first attempt fail. */
  val receiver = resources.receivers
    .acquire(settings, range.partitionId, generation, range.fromSeqNo, fresh = context.attemptNumber() > 0)

  private val hub = new PlannedHub(range, hasEnd, generation, settings.connection, receiver, resources, stopped)
  private val rules =
    new ReadRules(range, hasEnd, settings, receiver.silenceMillis, clock.getTimeMillis(), IdleTimer.Random)
  private val endSeqNo = if (hasEnd) range.untilSeqNo else Long.MaxValue
  private var lastAccepted = -1L

  /** When the caller of [[advance]] stops waiting. */
  private var endMillis = Long.MaxValue

  /** The loss that has failed the task. A caller that continues nevertheless gets it again. */
  private var failed = Option.empty[EventHubsException]

  /** Events up to this epoch are delivered. */
  private var acceptedEpoch = hub.epoch.getOrElse(Int.MaxValue)

  /** Sequence number of the first event that is neither read nor lost. */
  def expected: Long = rules.expected

  /** Whether nothing is left to read. */
  def isOver: Boolean = rules.isOver

  /** Sequence numbers whose events compaction has removed. */
  def absent: Long = rules.absent

  /** The event that [[advance]] found last. */
  def current: ReceivedEvent = receiver.event

  /**
   * Waits for the next event.
   *
   * @param millis how long at most; a range with an end needs no limit
   * @return false when none came, or when nothing is left to read
   */
  def advance(millis: Long = Long.MaxValue): Boolean = {
    failed.foreach(throw _)
    endMillis = if (hasEnd) Long.MaxValue else clock.getTimeMillis() + millis
    var found = false
    var left = millis
    var isLast = false
    while (!found && !isLast && !rules.isOver) {
      val waited =
        if (rules.isFirstWait) rules.firstWaitMillis
        else {
          val now = clock.getTimeMillis()
          left = math.max(0L, endMillis - now)
          // Not beyond the moment when the next question is due: at the end of the caller's wait nothing is asked.
          math.min(left, rules.waitMillis(now))
        }
      rules.waitsAt(receiver.nextSeqNo)
      if (receiver.advanceWithin(stopped, waited)) found = accept() else act(waited)
      isLast = left == 0
    }
    found
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

  /** Checks the event that came. False when it is not, or not yet, part of the range. */
  private def accept(): Boolean = {
    if (!hasEnd) rules.arrived(clock.getTimeMillis())
    if (receiver.isLinkVerified && isEpochAccepted) acceptInSequence()
    else {
      val another = verifyLink().orElse(verifyEpoch())
      another.foreach(gone => perform(rules.another(gone)))
      another.isEmpty && acceptInSequence()
    }
  }

  /** An event's epoch costs more to find than its number. */
  private def isEpochAccepted: Boolean = acceptedEpoch == Int.MaxValue || current.epoch <= acceptedEpoch

  private def verifyLink(): Option[Verdict.Gone] =
    if (receiver.isLinkVerified) None
    else {
      val another = hub.recreatedBefore(current)
      if (another.isEmpty) receiver.markLinkVerified()
      another
    }

  /** If the hub is the planned one, its events have other epochs than its answers. */
  private def verifyEpoch(): Option[Verdict.Gone] =
    if (isEpochAccepted) None
    else {
      val promoted = hub.promotedBefore(current)
      if (promoted.isEmpty) acceptedEpoch = current.epoch
      promoted
    }

  private def acceptInSequence(): Boolean = {
    val found = current.sequenceNumber
    if (found != rules.expected) perform(rules.gap(found, earliestAt(found)))
    // Otherwise something is missing, and a new link is to confirm that.
    if (rules.expected != math.min(found, endSeqNo)) false
    else if (rules.take(found, receiver.isQuestionOpen)) {
      lastAccepted = found
      hub.eventArrived()
      true
    } else {
      receiver.giveBack(endSeqNo)
      false
    }
  }

  /** The first retained event. It is asked for rarely on a compacted hub, because gaps are many. */
  private def earliestAt(found: Long): Long =
    if (rules.isFirstRetained) found
    else if (!settings.compacted || receiver.mayHaveExpired()) hub.bounds().earliest
    else rules.expected

  private def act(waitedMillis: Long): Unit = {
    rules.silent(clock.getTimeMillis(), waitedMillis, receiver.timesReopened)
    val listened = receiver.isListening
    val isDrained = receiver.takeEmpty()
    // Silence that was listened to counts only if the partition delivers now.
    if (!(isDrained && listened && hasEnd) || receiver.delivers(stopped))
      perform(rules.question(clock.getTimeMillis(), isDrained, hub.isInDoubt))
    performOwn(rules.patience(clock.getTimeMillis(), receiver.isListening))
  }

  private def isWaitOver: Boolean = clock.getTimeMillis() >= endMillis

  /** Finds out whether the partition has no more events, events are lost, or the link is stuck. */
  private def ask(isDrained: Boolean): Unit = {
    val verdict =
      hub.verdict(rules.wanted(isDrained), () => isWaitOver || rules.isImpatient(clock.getTimeMillis()))
    performOwn(rules.answer(verdict, isDrained, receiver.nextSeqNo, clock.getTimeMillis()))
  }

  /** Performs actions that reopen the link for another reason than that the hub may be away. */
  private def performOwn(actions: Iterable[ReadAction]): Unit = if (actions.nonEmpty) {
    perform(actions)
    rules.linkReopened(receiver.timesReopened)
  }

  private def perform(actions: Iterable[ReadAction]): Unit = actions.foreach {
    case ReadAction.Report(loss) =>
      try policy.report(loss)
      catch {
        case lost: EventHubsException =>
          failed = Some(lost)
          throw lost
      }
    case ReadAction.SkipAtStart(from, until) => policy.skipAtStart(range.partitionId, from, until)
    case ReadAction.Leave(facts) => logWarning(s"$range ends at $expected: $facts")
    case ReadAction.Reopen(seqNo) => receiver.reopenAt(seqNo)
    case ReadAction.SkipTo(seqNo) => receiver.skipTo(seqNo)
    case ReadAction.Ask(isDrained) => if (!isWaitOver) ask(isDrained)
    case ReadAction.Drain =>
      receiver.askIfEmpty()
      rules.drained(receiver.timesReopened)
    case ReadAction.Fail(silentMillis, unanswered) =>
      throw receiver.failure.orElse(unanswered).getOrElse(
        EventHubsErrors.silent(
          settings.connection.hub,
          receiver.key.doing,
          expected,
          silentMillis / 1000,
          ReadOptions.hintAtCompaction(settings.compacted)
        )
      )
  }
}
