package org.apache.spark.eventhubs.rdd

import org.apache.spark.TaskContext
import org.apache.spark.eventhubs.DataLoss
import org.apache.spark.eventhubs.amqp.ReceivedEvent
import org.apache.spark.eventhubs.executor.ExecutorResources
import org.apache.spark.eventhubs.generation.HubGeneration
import org.apache.spark.eventhubs.options.ReadSettings
import org.apache.spark.eventhubs.rdd.SequenceReader.Step
import org.apache.spark.internal.Logging
import org.apache.spark.util.Clock

/**
 * The events of a range without an end as they arrive, read by a [[SequenceReader]]: for Real-Time Mode, where a task
 * reads until its time is over. When the task succeeds, the receiver goes back to the cache with what it prefetched, and
 * the next batch continues with it.
 *
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
  private var heardMillis = clock.getTimeMillis()
  private var isOver = false

  private val reader = new SequenceReader(range, settings, resources, context, generation, totals.addLost)
  private val receiver = reader.receiver
  context.addTaskCompletionListener[Unit](_ => end())
  receiver.startRange(Long.MaxValue)

  /** The event that `advanceWithin` stopped at last. */
  def current: ReceivedEvent = reader.current

  /** Sequence number of the first event not served yet. */
  def nextSeqNo: Long = reader.expected

  /** Advances to the next event. False when none has come in this time. */
  def advanceWithin(millis: Long): Boolean = {
    val endMillis = clock.getTimeMillis() + millis
    var found = false
    var over = false
    while (!found && !over) {
      val left = math.max(0L, endMillis - clock.getTimeMillis())
      if (isOver) rest(left) else found = advanceOnce(math.min(left, receiver.silenceMillis))
      over = left == 0
    }
    found
  }

  def report: RangeReport = reader.report(served)

  private def advanceOnce(millis: Long): Boolean = {
    val step = reader.advance(millis)
    if (step != Step.Silence) heardMillis = clock.getTimeMillis()
    step match {
      case Step.Event => served += 1
      case Step.AnotherGeneration(facts) => endAt(facts)
      case Step.Silence if clock.getTimeMillis() - heardMillis >= settings.receiverTimeout.toMillis => checkRetained()
      case _ => ()
    }
    step == Step.Event
  }

  /**
   * Another hub of this name has other events under these numbers, so the task is over, though the batch is not. If that
   * is not an error, the driver counts the loss when it plans the next batch, which starts with the other hub's first event.
   */
  private def endAt(facts: String): Unit = {
    if (settings.failOnDataLoss) reader.lose(DataLoss.Kind.Recreated, reader.expected, facts)
    logWarning(s"$range ends at ${reader.expected}: $facts")
    isOver = true
  }

  private def rest(millis: Long): Unit = {
    val endMillis = clock.getTimeMillis() + millis
    while (clock.getTimeMillis() < endMillis && !reader.stopped())
      clock.waitTillTime(math.min(endMillis, clock.getTimeMillis() + 100))
    if (reader.stopped())
      throw new InterruptedException("the task was stopped while it waited for the end of its batch")
  }

  /** Nothing has come for long. Is the partition empty, are events lost, or does the link not deliver them? */
  private def checkRetained(): Unit = {
    heardMillis = clock.getTimeMillis()
    val bounds = receiver.bounds()
    // By what the partition holds, not by the event at hand: that one may be missing or older than the change.
    val another =
      if (bounds.isEmpty) reader.generationCheck.difference()
      else reader.generationCheck.differenceFor(bounds.lastEnqueuedTime.toEpochMilli)
    another.foreach(endAt)
    if (isOver) ()
    else if (bounds.latest < reader.expected) {
      reader.lose(DataLoss.Kind.Recreated, reader.expected, s"the next event to arrive is ${bounds.latest}")
      reader.skipTo(bounds.earliest)
    } else if (bounds.earliest > reader.expected)
      reader.lose(DataLoss.Kind.Expired, bounds.earliest, s"the first retained event is ${bounds.earliest}")
    if (!isOver && (bounds.latest > reader.expected || receiver.nextSeqNo != reader.expected))
      receiver.reopenAt(reader.expected)
  }

  private def end(): Unit = {
    totals.add(report)
    receiver.metrics.reset()
    val isUseless = context.isFailed() || context.isInterrupted() || isOver
    if (isUseless || !reuseReceiver) receiver.close()
    else resources.receivers.release(receiver)
  }
}
