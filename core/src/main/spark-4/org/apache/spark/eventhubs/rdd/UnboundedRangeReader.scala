package org.apache.spark.eventhubs.rdd

import org.apache.spark.TaskContext
import org.apache.spark.eventhubs.amqp.ReceivedEvent
import org.apache.spark.eventhubs.executor.ExecutorResources
import org.apache.spark.eventhubs.generation.HubGeneration
import org.apache.spark.eventhubs.options.ReadSettings
import org.apache.spark.eventhubs.rdd.SequenceReader.Step
import org.apache.spark.eventhubs.service.Verdict
import org.apache.spark.internal.Logging
import org.apache.spark.util.Clock

/**
 * The events of a partition as they arrive, read by a [[SequenceReader]]. For Real-Time Mode, where a task reads until
 * its time is over. When the task succeeds, the receiver returns to the cache with its prefetched events, and the next
 * batch continues with it.
 *
 * @param range      where to start; its end is ignored
 * @param generation the hub that the range was planned for
 */
private[spark] final class UnboundedRangeReader(
    range: OffsetRange,
    settings: ReadSettings,
    generation: HubGeneration,
    resources: ExecutorResources,
    context: TaskContext,
    reuseReceiver: Boolean,
    totals: ReadAccumulator,
    clock: Clock
) extends Logging {

  private var served = 0L
  private val idle = IdleTimer.beforeAnyEvent(settings.receiverTimeout, clock)
  private var reopenedBefore = 0
  private var isAskedAgain = false

  /** When Spark stops waiting for the next event. */
  private var waitedForUntilMillis = Long.MaxValue
  private def isWaitOver = clock.getTimeMillis() >= waitedForUntilMillis
  private var isOver = false

  /** The end of the partition when the service was asked whether it has more events. */
  private var askedUntil = 0L

  private val reader = new SequenceReader(
    range.copy(untilSeqNo = Long.MaxValue),
    settings,
    resources,
    context,
    generation,
    totals.addLost(range.name, _),
    totals.addExpiredAtStart
  )
  private val receiver = reader.receiver
  context.addTaskCompletionListener[Unit](_ => end())
  receiver.startRange(Long.MaxValue)

  /** The event that `advanceWithin` found last. */
  def current: ReceivedEvent = reader.current

  /** Sequence number of the first event not served yet. */
  def nextSeqNo: Long = reader.expected

  /** Waits for the next event for at most `millis`. False when none came. */
  def advanceWithin(millis: Long): Boolean = {
    val endMillis = clock.getTimeMillis() + millis
    waitedForUntilMillis = endMillis
    var found = false
    var over = false
    while (!found && !over) {
      val left = math.max(0L, endMillis - clock.getTimeMillis())
      // Not beyond the moment when the next question is due: at the end of Spark's wait nothing is asked.
      if (isOver) idle(left)
      else found = advanceOnce(math.min(left, math.min(receiver.silenceMillis, idle.millisToQuestion)))
      over = left == 0
    }
    found
  }

  def report: RangeReport = reader.report(served)

  private def advanceOnce(millis: Long): Boolean =
    if (!reader.receive(millis)) {
      // The hub may be away: then the question says so in the log.
      if (receiver.timesReopened != reopenedBefore) idle.askWithin(receiver.silenceMillis)
      reopenedBefore = receiver.timesReopened
      if (receiver.takeEmpty()) passTail() else if (idle.millisToQuestion == 0 && !isWaitOver) checkRetained()
      false
    } else {
      // Before the checks, which may take as long as a call to the service.
      idle.restart()
      isAskedAgain = false
      val step = reader.accept()
      step match {
        case Step.Event => served += 1
        case Step.AnotherGeneration(gone) => endAt(gone)
        case Step.SuspectedGap | Step.PastEnd => ()
      }
      step == Step.Event
    }

  /**
   * The hub was recreated, or failed over, and has other events under these numbers, so the task stops reading before
   * its batch ends. With `failOnDataLoss` off, the driver counts the loss when it plans the next batch, which starts
   * with the new hub's first event.
   */
  private def endAt(gone: Verdict.Gone): Unit = {
    if (settings.failOnDataLoss) reader.lose(gone.kind, reader.expected, gone.facts)
    logWarning(s"$range ends at ${reader.expected}: ${gone.facts}")
    isOver = true
  }

  private def idle(millis: Long): Unit = {
    val endMillis = clock.getTimeMillis() + millis
    while (clock.getTimeMillis() < endMillis && !reader.stopped())
      clock.waitTillTime(math.min(endMillis, clock.getTimeMillis() + 100))
    if (reader.stopped())
      throw new InterruptedException("the task was stopped while it waited for the end of its batch")
  }

  /** Compaction has removed the last events that the partition had when the service was asked. */
  private def passTail(): Unit = if (askedUntil > reader.expected) {
    reader.passAbsent(askedUntil)
    receiver.skipTo(askedUntil)
  }

  /** No event came in time. Finds out whether the partition is empty, events are lost, or the link is stuck. */
  private def checkRetained(): Unit = {
    val verdict = reader.hub.verdictOnRead(reader.expected, () => isWaitOver)
    // A question that fell due as Spark's wait ended is asked again in the next wait; only once, if that is too short.
    val isGivenUp = verdict == Verdict.Unanswered(None)
    if (!isGivenUp || isAskedAgain) idle.asked()
    isAskedAgain = isGivenUp && !isAskedAgain
    verdict match {
      // Of a recreated hub and a promoted region, the driver finds out where they continue.
      case Verdict.Shrunk(bounds, facts) =>
        reader.restart(bounds.earliest, facts)
        continueUpTo(bounds.latest)
      case gone: Verdict.Gone => endAt(gone)
      case Verdict.Retained(bounds) =>
        if (bounds.earliest > reader.expected)
          reader.expire(bounds.earliest, s"the first retained event is ${bounds.earliest}")
        continueUpTo(bounds.latest)
      case Verdict.AskAgain =>
        idle.askWithin(receiver.silenceMillis)
        continueUpTo(reader.expected)
      case Verdict.Unanswered(_) | Verdict.Missing => ()
    }
  }

  /** Opens another link where the present one does not bring the events before `end`. */
  private def continueUpTo(end: Long): Unit =
    if (end > reader.expected || receiver.nextSeqNo != reader.expected)
      if (settings.compacted && receiver.nextSeqNo == reader.expected) {
        askedUntil = end
        receiver.askIfEmpty()
      } else receiver.reopenAt(reader.expected)

  private def end(): Unit = {
    // The report fails when the current event is malformed.
    try totals.add(report)
    finally {
      receiver.metrics.reset()
      val isUseless = context.isFailed() || context.isInterrupted() || isOver
      if (isUseless || !reuseReceiver) receiver.close()
      else resources.receivers.release(receiver)
    }
  }
}
