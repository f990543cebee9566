package org.apache.spark.eventhubs.rdd

import org.apache.spark.TaskContext
import org.apache.spark.eventhubs.DataLoss
import org.apache.spark.eventhubs.amqp.ReceivedEvent
import org.apache.spark.eventhubs.connection.PartitionBounds
import org.apache.spark.eventhubs.executor.ExecutorResources
import org.apache.spark.eventhubs.generation.{HubGeneration, LowAnswers}
import org.apache.spark.eventhubs.options.ReadSettings
import org.apache.spark.eventhubs.rdd.SequenceReader.Step
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
  private val lowAnswers = new LowAnswers(clock, settings.connection.operationTimeout)

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
        case Step.Event =>
          served += 1
          lowAnswers.clear()
        case Step.AnotherGeneration(kind, facts) => endAt(kind, facts)
        case Step.SuspectedGap | Step.PastEnd => ()
      }
      step == Step.Event
    }

  /**
   * The hub was recreated, or failed over, and has other events under these numbers, so the task stops reading before
   * its batch ends. With `failOnDataLoss` off, the driver counts the loss when it plans the next batch, which starts
   * with the new hub's first event.
   */
  private def endAt(kind: DataLoss.Kind, facts: String): Unit = {
    if (settings.failOnDataLoss) reader.lose(kind, reader.expected, facts)
    logWarning(s"$range ends at ${reader.expected}: $facts")
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
    val answers = reader.ifAnswered(() => isWaitOver) {
      val bounds = reader.bounds()
      // Uses the partition's last event, because the last event read may be older than the recreation.
      val another =
        if (bounds.isEmpty) reader.generationCheck.difference()
        else reader.generationCheck.differenceFor(bounds.lastEnqueuedTime.toEpochMilli)
      (bounds, another)
    }
    // A question that fell due as Spark's wait ended is asked again in the next wait; only once, if that is too short.
    val isGivenUp = answers.isEmpty && reader.unanswered.isEmpty
    if (!isGivenUp || isAskedAgain) idle.asked()
    isAskedAgain = isGivenUp && !isAskedAgain
    answers.foreach { case (bounds, another) => applyAnswers(bounds, another) }
  }

  private def applyAnswers(bounds: PartitionBounds, another: Option[String]): Unit = {
    another.foreach(endAt(DataLoss.Kind.Recreated, _))
    if (isOver) ()
    else if (bounds.latest < reader.expected) checkEnd(bounds)
    else {
      lowAnswers.clear()
      if (bounds.earliest > reader.expected)
        reader.expire(bounds.earliest, s"the first retained event is ${bounds.earliest}")
    }
    if (!isOver && (bounds.latest > reader.expected || receiver.nextSeqNo != reader.expected))
      if (settings.compacted && receiver.nextSeqNo == reader.expected) {
        askedUntil = bounds.latest
        receiver.askIfEmpty()
      } else receiver.reopenAt(reader.expected)
  }

  /** The answer lacks events that were read. It may come from a replica that lags behind. */
  private def checkEnd(bounds: PartitionBounds): Unit = {
    val promoted = reader.promotion(bounds)
    if (promoted.isDefined) promoted.foreach(endAt(DataLoss.Kind.FailedOver, _))
    else if (lowAnswers.add()) {
      val facts = lowAnswers.facts(bounds.latest)
      // The driver finds out where the promoted region continues.
      if (bounds.epoch.isDefined) endAt(DataLoss.Kind.FailedOver, facts) else reader.restart(bounds.earliest, facts)
    } else idle.askWithin(receiver.silenceMillis)
  }

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
