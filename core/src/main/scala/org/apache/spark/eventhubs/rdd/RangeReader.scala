package org.apache.spark.eventhubs.rdd

import org.apache.spark.TaskContext
import org.apache.spark.eventhubs.amqp.ReceivedEvent
import org.apache.spark.eventhubs.executor.ExecutorResources
import org.apache.spark.eventhubs.generation.HubGeneration
import org.apache.spark.eventhubs.options.ReadSettings
import org.apache.spark.eventhubs.receive.{ReceiverKey, Replay, ReplayKey, ReplayRecorder}

/** The events of one range for one task, each once, in order. Returns one reused event. */
trait RangeReader extends Iterator[ReceivedEvent] {

  /** The event that `next` returned last. */
  def current: ReceivedEvent

  /** As of now; complete once the range is. */
  def report: RangeReport
}

object RangeReader {

  /**
   * The events for the task that runs now, from the hub or from the executor's memory. Reports to `totals` when the task
   * ends.
   *
   * @param reuseReceivers whether ranges of later batches go on where those of this one end
   * @param generation          the hub that the range was planned for
   */
  def ofTask(
      range: OffsetRange,
      settings: ReadSettings,
      context: TaskContext,
      reuseReceivers: Boolean,
      totals: ReadAccumulator,
      generation: HubGeneration
  ): RangeReader = {
    val resources = ExecutorResources.get
    val reuse = reuseReceivers && ReceiverReuse.keepsReceiverOf(range)
    def received = new EventRangeIterator(range, settings, resources, context, reuse, generation, totals.addLost)
    val events = if (settings.replayCacheBytes == 0) received
    else {
      val key = ReplayKey(ReceiverKey.of(settings, range.partitionId, generation), range.fromSeqNo, range.untilSeqNo)
      resources.replays.get(key).fold[RangeReader] {
        val recorder = resources.replays.recorder(key, settings.replayCacheBytes)
        context.addTaskCompletionListener[Unit](_ => recorder.close())
        new RecordedRange(received, range.count, recorder)
      }(new ReplayedRange(range, _))
    }
    context.addTaskCompletionListener[Unit](_ => totals.add(events.report))
    events
  }
}

/** Keeps what is read, once all of it was. A range that has lost events is not kept: it is told of each time. */
private[eventhubs] final class RecordedRange(events: RangeReader, count: Long, recorder: ReplayRecorder)
    extends RangeReader {

  override def hasNext: Boolean = {
    val more = events.hasNext
    if (!more) recorder.keep(count)
    more
  }

  override def next(): ReceivedEvent = {
    val event = events.next()
    recorder.add(event)
    event
  }

  override def current: ReceivedEvent = events.current

  override def report: RangeReport = events.report
}

/** A range from memory. */
private[eventhubs] final class ReplayedRange(range: OffsetRange, replay: Replay) extends RangeReader {

  private val cursor = replay.cursor()
  private var served = 0L
  private var bytes = 0L

  override def hasNext: Boolean = served < replay.length

  override def next(): ReceivedEvent = {
    if (!cursor.advance()) throw new NoSuchElementException(s"the end of $range")
    served += 1
    bytes += current.bodyLength
    current
  }

  override def current: ReceivedEvent = cursor.event

  override def report: RangeReport = RangeReport(
    range.partitionId,
    served,
    bytes,
    waitedMillis = 0,
    linksOpened = 0,
    throttled = 0,
    Option.when(served > 0)(current.enqueuedMillis)
  )
}
