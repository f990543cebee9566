package org.apache.spark.eventhubs.rdd

import java.util.concurrent.TimeUnit

import org.apache.spark.TaskContext
import org.apache.spark.eventhubs.amqp.ReceivedEvent
import org.apache.spark.eventhubs.executor.ExecutorResources
import org.apache.spark.eventhubs.generation.HubGeneration
import org.apache.spark.eventhubs.options.ReadSettings
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

  private val startedNanos = System.nanoTime()
  private var ready = false

  /** Another thread than the task's may read, such as that of `RDD.pipe`. */
  @volatile private var finished = false
  private var served = 0L
  private var finalReport = Option.empty[RangeReport]

  private val reader =
    new SequenceReader(range, hasEnd = true, settings, resources, context, generation, onLost, onExpiredAtStart)
  private val receiver = reader.receiver
  context.addTaskCompletionListener[Unit](_ => if (!finished) receiver.close())
  receiver.startRange(range.untilSeqNo, reuseReceiver)

  ahead.foreach(_.begin())
  private val half = ahead.fold(-1L)(_.half)

  override def hasNext: Boolean = {
    if (!ready && !finished) {
      ready = reader.advance()
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
