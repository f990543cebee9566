package org.apache.spark.eventhubs.rdd

import org.apache.spark.TaskContext
import org.apache.spark.eventhubs.amqp.ReceivedEvent
import org.apache.spark.eventhubs.executor.ExecutorResources
import org.apache.spark.eventhubs.generation.HubGeneration
import org.apache.spark.eventhubs.options.ReadSettings
import org.apache.spark.eventhubs.receive.{ReceiverKey, ReplayCache, ReplayKey}

/** The events of one range for one task, each once, in order. Returns one reused event. */
private[spark] trait RangeReader extends Iterator[ReceivedEvent] {

  /** The event that `next` returned last. */
  def current: ReceivedEvent

  /** Sequence numbers of the range whose events compaction has removed. */
  def absent: Long

  /** What was read so far. */
  def report: RangeReport
}

private[spark] object RangeReader {

  /**
   * The events for a running task, from the hub or from the executor's memory. Reports to `totals` when the task ends.
   *
   * @param reuseReceivers whether a range of a later batch continues where this one ends
   * @param settings       of the query, with one hub or several
   * @param generation     the hub, or hubs, that the query's ranges were planned for
   * @param next           what this JVM probably reads next, so that its first events are requested ahead
   */
  def ofTask(
      range: OffsetRange,
      settings: ReadSettings,
      context: TaskContext,
      reuseReceivers: Boolean,
      totals: ReadAccumulator,
      generation: HubGeneration,
      next: Option[OffsetRange] = None
  ): RangeReader = {
    val resources = ExecutorResources.get
    val ofHub = settings.ofHub(range.name)
    val planned = generation.ofHub(range.name)
    val reuse = reuseReceivers && ReceiverReuse.keepsReceiverOf(range)
    def received = new EventRangeIterator(
      range,
      ofHub,
      resources,
      context,
      reuse,
      planned,
      totals.addLost(range.name, _),
      totals.addExpiredAtStart,
      next.map(new LinkAhead(range, _, settings, generation, resources, context))
    )
    val events = if (settings.replayCacheBytes == 0) received
    else {
      val key = ReplayKey(ReceiverKey.of(ofHub, range.partitionId, planned), range.fromSeqNo, range.untilSeqNo)
      resources.replays.get(key).fold[RangeReader] {
        val recorder = resources.replays.recorder(key, settings.replayCacheBytes)
        context.addTaskCompletionListener[Unit](_ => recorder.close())
        new RecordingRangeReader(received, range.count, recorder)
      }(new CachedRangeReader(range, _))
    }
    context.addTaskCompletionListener[Unit](_ => totals.add(events.report))
    events
  }
}

/** Caches the range after its last event. A range with lost events is not cached, so each read reports the loss. */
private[eventhubs] final class RecordingRangeReader(events: RangeReader, count: Long, recorder: ReplayCache#Recorder)
    extends RangeReader {

  override def hasNext: Boolean = {
    val more = events.hasNext
    if (!more) recorder.keep(count - events.absent)
    more
  }

  override def next(): ReceivedEvent = {
    val event = events.next()
    recorder.add(event)
    event
  }

  override def current: ReceivedEvent = events.current

  override def absent: Long = events.absent

  override def report: RangeReport = events.report
}

/** Reads a range from memory. */
private[eventhubs] final class CachedRangeReader(range: OffsetRange, cached: IndexedSeq[Array[Byte]])
    extends RangeReader {

  override val current: ReceivedEvent = new ReceivedEvent
  private var served = 0
  private var bytes = 0L

  override def hasNext: Boolean = served < cached.length

  override def next(): ReceivedEvent = {
    if (!hasNext) throw new NoSuchElementException(s"the end of $range")
    current.set(cached(served))
    served += 1
    bytes += current.bodyLength
    current
  }

  override def absent: Long = range.count - cached.length

  override def report: RangeReport = RangeReport(
    range.nameAndPartition,
    served.toLong,
    bytes,
    waitedMillis = 0,
    linksOpened = 0,
    throttled = 0,
    Option.when(served > 0)(current.enqueuedMillis),
    Option.when(served > 0)(LastEvent(range.nameAndPartition, current.sequenceNumber, current.offset))
  )
}
