package org.apache.spark.eventhubs.rdd

import org.apache.spark.TaskContext
import org.apache.spark.eventhubs.amqp.ReceivedEvent
import org.apache.spark.eventhubs.executor.ExecutorResources
import org.apache.spark.eventhubs.generation.HubGeneration
import org.apache.spark.eventhubs.options.ReadSettings

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
    totals: ReadAccumulator
) {

  private val clock = resources.clock
  private var served = 0L
  private val reader = new SequenceReader(
    range,
    hasEnd = false,
    settings,
    resources,
    context,
    generation,
    totals.addLost(range.name, _),
    totals.addExpiredAtStart
  )
  context.addTaskCompletionListener[Unit](_ => end())
  reader.receiver.startRange(Long.MaxValue)

  /** The event that `advanceWithin` found last. */
  def current: ReceivedEvent = reader.current

  /** Sequence number of the first event not served yet. */
  def nextSeqNo: Long = reader.expected

  /** Waits for the next event for at most `millis`. False when none came. */
  def advanceWithin(millis: Long): Boolean = {
    val endMillis = clock.getTimeMillis() + millis
    val found = reader.advance(millis)
    if (found) served += 1 else if (reader.isOver) waitUntil(endMillis)
    found
  }

  def report: RangeReport = reader.report(served)

  /** The hub is gone. The batch of the other partitions continues. */
  private def waitUntil(endMillis: Long): Unit = {
    while (clock.getTimeMillis() < endMillis && !context.isInterrupted())
      clock.waitTillTime(math.min(endMillis, clock.getTimeMillis() + 100))
    if (context.isInterrupted())
      throw new InterruptedException("the task was stopped while it waited for the end of its batch")
  }

  private def end(): Unit = {
    val receiver = reader.receiver
    // The report fails when the current event is malformed.
    try totals.add(report)
    finally {
      receiver.metrics.reset()
      val isUseless = context.isFailed() || context.isInterrupted() || reader.isOver
      if (isUseless || !reuseReceiver) receiver.close()
      else resources.receivers.release(receiver)
    }
  }
}
