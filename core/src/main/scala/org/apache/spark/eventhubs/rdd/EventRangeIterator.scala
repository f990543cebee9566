package org.apache.spark.eventhubs.rdd

import org.apache.spark.eventhubs.DataLoss
import org.apache.spark.eventhubs.DataLossPolicy
import org.apache.spark.eventhubs.EventHubsErrors
import org.apache.spark.eventhubs.amqp.ReceivedEvent
import org.apache.spark.eventhubs.executor.ExecutorResources
import org.apache.spark.eventhubs.generation.HubGeneration
import org.apache.spark.eventhubs.generation.HubGenerationCheck
import org.apache.spark.eventhubs.options.ReadSettings

import org.apache.spark.TaskContext
import org.apache.spark.internal.Logging

/**
 * The one read loop of this connector: the events of a range, each once, in order. What is missing is explained (removed
 * by retention, say) or it fails the task. At the end the receiver goes back to the cache; when the task ends before, it
 * is closed, so none is ever left half used.
 *
 * The iterator returns one reused event.
 *
 * @param scope  the hub that the range was planned for: another one of its name has other events under these numbers
 * @param onLost is told how many events were gone, when `failOnDataLoss` is off
 */
final class EventRangeIterator(
    range: OffsetRange,
    settings: ReadSettings,
    resources: ExecutorResources,
    context: TaskContext,
    reuseReceiver: Boolean,
    scope: HubGeneration,
    onLost: Long => Unit
) extends RangeReader
    with Logging {

  private val policy =
    new DataLossPolicy(settings.connection.hub, settings.consumerGroup, settings.failOnDataLoss, onLost)
  private val stopped: () => Boolean = () => context.isInterrupted()
  private val startedMillis = System.currentTimeMillis()

  /** At least once before the operation is over, also where both times are the same, as they are by default. */
  private val reopenAfterMillis = {
    val half = settings.connection.operationTimeout.toMillis / 2
    math.max(1L, math.min(settings.receiverTimeout.toMillis, half))
  }

  private var expected = range.fromSeqNo
  private var ready = false
  private var finished = false
  private var silences = 0
  private var doubtedGapAt = -1L
  private var served = 0L
  private var finalReport = Option.empty[RangeReport]

  private val receiver =
    resources.receivers.acquire(settings, range.partitionId, scope, range.fromSeqNo, context.attemptNumber() > 0)
  context.addTaskCompletionListener[Unit](_ => if (!finished) receiver.close())
  receiver.startRange(range.untilSeqNo, reuseReceiver)

  override def hasNext: Boolean = {
    if (!ready && !finished) {
      ready = expected < range.untilSeqNo && advance()
      if (!ready) finish()
    }
    ready
  }

  override def next(): ReceivedEvent = {
    if (!hasNext) throw new NoSuchElementException(s"the end of $range")
    ready = false
    served += 1
    receiver.event
  }

  override def report: RangeReport = finalReport.getOrElse {
    val counts = receiver.counts
    val lastEnqueued = Option.when(served > 0)(receiver.event.enqueuedMillis)
    RangeReport(
      range.partitionId,
      served,
      counts.bytes,
      counts.waitedMillis,
      counts.linksOpened,
      counts.throttled,
      lastEnqueued
    )
  }

  override def current: ReceivedEvent = receiver.event

  /** False when there is nothing more to read: the rest of the range is gone. */
  private def advance(): Boolean = {
    while (!receiver.advance(stopped) && !isRestGone()) {}
    if (receiver.isLinkNew && expected < range.untilSeqNo) noticeAnotherHub()
    expected < range.untilSeqNo && {
      val found = receiver.event.sequenceNumber
      if (found != expected && !isGapExplained(found)) advance()
      else {
        silences = 0
        expected = found + 1
        found < range.untilSeqNo
      }
    }
  }

  /** Events are missing before `found`. False when that should be looked at once more, over a new link. */
  private def isGapExplained(found: Long): Boolean = {
    val end = math.min(found, range.untilSeqNo)
    val bounds = receiver.bounds()
    if (bounds.earliest > expected) lose(DataLoss.Kind.Expired, end, s"the first retained event is ${bounds.earliest}")
    else if (doubtedGapAt == expected) lose(DataLoss.Kind.Gap, end, s"event $found came next, twice")
    else {
      doubtedGapAt = expected
      receiver.reopenAt(expected)
    }
    doubtedGapAt != expected || expected == end
  }

  /**
   * Asked once the link has brought an event, when it is certain which hub it goes to. Of another one nothing is read: the
   * driver finds it with the next batch, and begins with its first event.
   */
  private def noticeAnotherHub(): Unit = HubGenerationCheck.byEvent(receiver, resources.confirmations) match {
    case Some(facts) => lose(DataLoss.Kind.Recreated, range.untilSeqNo, facts)
    case None => receiver.isLinkNew = false
  }

  /** Nothing has come for a while: are the events that this task waits for still there? */
  private def isRestGone(): Boolean = {
    val bounds = receiver.bounds()
    val change = HubGenerationCheck.since(receiver)
    if (change.nonEmpty) change.foreach(facts => lose(DataLoss.Kind.Recreated, range.untilSeqNo, facts))
    else if (bounds.earliest >= range.untilSeqNo)
      lose(DataLoss.Kind.Expired, range.untilSeqNo, s"the first retained event is ${bounds.earliest}")
    else if (bounds.latest <= expected)
      lose(DataLoss.Kind.Recreated, range.untilSeqNo, s"the next event to arrive is ${bounds.latest}")
    else waitOn()
    expected >= range.untilSeqNo
  }

  /** The events are there and do not come: open another link now and then, and do not wait for ever. */
  private def waitOn(): Unit = {
    silences += 1
    val silentMillis = silences * receiver.silenceMillis
    if (silentMillis >= settings.connection.operationTimeout.toMillis)
      throw receiver.failure.getOrElse(
        EventHubsErrors.silent(settings.connection.hub, receiver.key.doing, expected, silentMillis / 1000)
      )
    if (silentMillis % reopenAfterMillis < receiver.silenceMillis) receiver.reopenAt(expected)
  }

  private def lose(kind: DataLoss.Kind, until: Long, facts: String): Unit = {
    policy.report(DataLoss(kind, range.partitionId, expected, until, facts))
    expected = until
  }

  private def finish(): Unit = {
    finished = true
    finalReport = Some(report)
    receiver.counts.reset()
    if (reuseReceiver && receiver.nextSeqNo == range.untilSeqNo && !receiver.isLinkNew)
      resources.receivers.release(receiver)
    else receiver.close()
    val millis = System.currentTimeMillis() - startedMillis
    logInfo(s"Read $range in $millis ms, ${receiver.timesReopened} links reopened")
  }
}
