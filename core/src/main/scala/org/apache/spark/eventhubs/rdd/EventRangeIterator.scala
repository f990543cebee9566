package org.apache.spark.eventhubs.rdd

import java.util.concurrent.TimeUnit

import scala.annotation.tailrec

import org.apache.spark.TaskContext
import org.apache.spark.eventhubs.amqp.ReceivedEvent
import org.apache.spark.eventhubs.executor.ExecutorResources
import org.apache.spark.eventhubs.generation.HubGeneration
import org.apache.spark.eventhubs.options.{ReadOptions, ReadSettings}
import org.apache.spark.eventhubs.rdd.SequenceReader.Step
import org.apache.spark.eventhubs.service.Verdict
import org.apache.spark.eventhubs.{EventHubsErrors, EventHubsException}
import org.apache.spark.internal.Logging

/**
 * The events of a range with an end, read by a [[SequenceReader]]. At the end of the range the receiver returns to the
 * cache. When the task ends earlier, the receiver is closed, so a half-used receiver is never reused.
 *
 * The iterator returns one reused event.
 *
 * @param generation the hub that the range was planned for
 * @param onLost     called with the number of lost events, when `failOnDataLoss` is off
 * @param onExpiredAtStart called with the number of events that expired before the first read of a start `earliest`
 * @param ahead requests the first events of the range that follows in another task
 */
private[spark] final class EventRangeIterator(
    range: OffsetRange,
    settings: ReadSettings,
    resources: ExecutorResources,
    context: TaskContext,
    reuseReceiver: Boolean,
    generation: HubGeneration,
    onLost: Long => Unit,
    onExpiredAtStart: Long => Unit = _ => (),
    ahead: Option[LinkAhead] = None
) extends RangeReader
    with Logging {

  import EventRangeIterator.AskAfterMillis

  private val startedNanos = System.nanoTime()

  /** Half the operation timeout at most, so that a link is reopened at least once before it. */
  private val reopenAfterMillis = {
    val half = settings.connection.operationTimeout.toMillis / 2
    math.max(1L, math.min(settings.receiverTimeout.toMillis, half))
  }

  private var ready = false

  /** Another thread than the task's may read, such as that of `RDD.pipe`. */
  @volatile private var finished = false
  private var served = 0L
  private var finalReport = Option.empty[RangeReport]

  /** Why the last question has no answer. */
  private var unanswered = Option.empty[EventHubsException]

  private val reader =
    new SequenceReader(range, settings, resources, context, generation, onLost, onExpiredAtStart)
  private val receiver = reader.receiver
  private val clock = resources.clock

  /** Since the last event, however often the link was reopened. */
  private val idle = IdleTimer.beforeKnownEvent(receiver.silenceMillis, clock)
  private var isSilent = false
  private var reopenAtMillis = 0L
  private var reopenedBefore = 0

  /** Links reopened when the service was asked for the last time whether an event follows; -1 before. */
  private var askedAfter = -1
  context.addTaskCompletionListener[Unit](_ => if (!finished) receiver.close())
  receiver.startRange(range.untilSeqNo, reuseReceiver)

  ahead.foreach(_.begin())
  private val half = ahead.fold(-1L)(_.half)

  override def hasNext: Boolean = {
    if (!ready && !finished) {
      ready = advance()
      if (!ready) finish()
    }
    ready
  }

  override def next(): ReceivedEvent = {
    if (!hasNext) throw new NoSuchElementException(s"the end of $range")
    ready = false
    served += 1
    if (served == half) ahead.foreach(_.halfRead())
    reader.current
  }

  override def report: RangeReport = finalReport.getOrElse(reader.report(served))

  override def current: ReceivedEvent = reader.current

  override def absent: Long = reader.absent

  /** False at the end of the range, or when the rest of it is lost. */
  @tailrec
  private def advance(): Boolean =
    if (reader.expected >= range.untilSeqNo) false
    else if (!receive()) {
      val mayAsk = settings.compacted && askedAfter != receiver.timesReopened
      val listened = receiver.isListening
      if (receiver.takeEmpty()) { if (!listened || receiver.delivers(reader.stopped)) passTail() }
      else if (idle.millisToQuestion == 0 && !(mayAsk && reader.hub.isInDoubt)) checkRetained(isDrained = false)
      else if (mayAsk) askIfEmpty()
      if (reader.expected < range.untilSeqNo) keepWaiting()
      advance()
    } else
      reader.accept() match {
        case Step.Event =>
          isSilent = false
          // The end of the range is older than an open question, so its answer will count.
          if (!receiver.isQuestionOpen) askedAfter = -1
          true
        case Step.PastEnd =>
          receiver.giveBack(range.untilSeqNo)
          false
        case Step.SuspectedGap => advance()
        // The driver finds the recreated hub when it plans the next batch, which starts with that hub's first event.
        case Step.AnotherGeneration(gone) =>
          reader.lose(gone.kind, range.untilSeqNo, gone.facts)
          false
      }

  /** False when no event came before there is something else to do. */
  private def receive(): Boolean = {
    val arrived = reader.receive(if (isSilent) math.max(1L, millisToAct) else firstWaitMillis)
    if (!arrived) noteSilence()
    arrived
  }

  /** A compacted hub is asked soon whether an event follows at all, because the last ones of the range may be gone. */
  private val firstWaitMillis =
    if (settings.compacted) math.min(AskAfterMillis, idle.firstMillis) else idle.firstMillis

  private def millisToAct: Long = math.min(idle.millisToQuestion, millisToReopen)

  private def millisToReopen: Long = math.min(reopenAtMillis - clock.getTimeMillis(), timeoutMillis - idle.millis)

  private def timeoutMillis: Long = settings.connection.operationTimeout.toMillis

  private def noteSilence(): Unit = {
    if (!isSilent) {
      isSilent = true
      idle.restart(firstWaitMillis)
      reopenAtMillis = clock.getTimeMillis() - firstWaitMillis + reopenAfterMillis
    } else if (receiver.timesReopened != reopenedBefore) idle.askWithin(idle.firstMillis)
    reopenedBefore = receiver.timesReopened
  }

  /** Waiting for a time would prove nothing. */
  private def askIfEmpty(): Unit = {
    receiver.askIfEmpty()
    askedAfter = receiver.timesReopened
  }

  /** The service has said that it has no event for the rest of the range, although the hub once had such events. */
  private def passTail(): Unit = {
    // Without an answer to the questions it is asked again.
    askedAfter = -1
    checkRetained(isDrained = true)
  }

  /**
   * No event came in time. Checks whether the partition still has the events of the range.
   *
   * @param isDrained whether the service has said that no event follows. It had them when the range was planned
   */
  private def checkRetained(isDrained: Boolean): Unit = {
    val enough = if (isDrained) range.untilSeqNo else reader.expected + 1
    val verdict = reader.hub.verdict(enough, () => millisToReopen <= 0)
    idle.asked()
    unanswered = None
    verdict match {
      case gone: Verdict.Gone => reader.lose(gone.kind, range.untilSeqNo, gone.facts)
      case Verdict.Retained(bounds) =>
        val earliest = math.min(range.untilSeqNo, bounds.earliest)
        if (earliest > reader.expected && (isDrained || earliest == range.untilSeqNo))
          reader.expire(earliest, s"the first retained event is ${bounds.earliest}")
        if (isDrained && reader.expected < range.untilSeqNo) {
          reader.passAbsent(range.untilSeqNo)
          receiver.skipTo(range.untilSeqNo)
        }
      case Verdict.AskAgain =>
        // If the events exist, a new link brings them.
        receiver.reopenAt(reader.expected)
        reopenedBefore = receiver.timesReopened
        idle.askWithin(idle.firstMillis)
      // The service may be slow, busy or away, and the events may still come.
      case Verdict.Unanswered(why) => unanswered = why
      case Verdict.Missing => ()
    }
  }

  /** Reopens the link from time to time, up to the operation timeout. */
  private def keepWaiting(): Unit = {
    val silentMillis = idle.millis
    if (silentMillis >= timeoutMillis)
      throw receiver.failure.orElse(unanswered).getOrElse(
        EventHubsErrors.silent(
          settings.connection.hub,
          receiver.key.doing,
          reader.expected,
          silentMillis / 1000,
          ReadOptions.hintAtCompaction(settings.compacted)
        )
      )
    // A new link would have to be listened to from the start.
    if (clock.getTimeMillis() >= reopenAtMillis && !receiver.isListening) {
      receiver.reopenAt(reader.expected)
      reopenAtMillis = clock.getTimeMillis() + reopenAfterMillis
      reopenedBefore = receiver.timesReopened
    }
  }

  private def finish(): Unit = {
    finished = true
    finalReport = Some(report)
    receiver.metrics.reset()
    if (reuseReceiver && receiver.nextSeqNo == range.untilSeqNo && receiver.isLinkVerified)
      resources.receivers.release(receiver)
    else receiver.close()
    val millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startedNanos)
    logInfo(s"Read $range in $millis ms, ${receiver.timesReopened} links reopened")
  }
}

private object EventRangeIterator {

  /** Longer than a round trip, so that a range that has all its events asks nothing. */
  val AskAfterMillis = 300L
}
