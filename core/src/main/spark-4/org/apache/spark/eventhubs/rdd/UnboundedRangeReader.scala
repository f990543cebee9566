package org.apache.spark.eventhubs.rdd

import org.apache.spark.eventhubs.DataLoss
import org.apache.spark.eventhubs.DataLossPolicy
import org.apache.spark.eventhubs.amqp.ReceivedEvent
import org.apache.spark.eventhubs.executor.ExecutorResources
import org.apache.spark.eventhubs.generation.HubGeneration
import org.apache.spark.eventhubs.generation.HubGenerationCheck
import org.apache.spark.eventhubs.options.ReadSettings

import org.apache.spark.TaskContext
import org.apache.spark.internal.Logging
import org.apache.spark.util.Clock

/**
 * The events of one partition from a number on, as they arrive, each once, in order: for Real-Time Mode, where a task reads
 * until its time is over. What is missing is explained or it fails the task. When the task succeeds, the receiver goes
 * back to the cache with what it holds, and the next batch goes on with it.
 *
 * @param scope the hub that the range was planned for
 */
final class UnboundedRangeReader(
    range: OffsetRange,
    settings: ReadSettings,
    scope: HubGeneration,
    resources: ExecutorResources,
    context: TaskContext,
    reuseReceiver: Boolean,
    totals: ReadAccumulator,
    clock: Clock
) extends Logging {

  private val policy =
    new DataLossPolicy(settings.connection.hub, settings.consumerGroup, settings.failOnDataLoss, totals.addLost)
  private val stopped: () => Boolean = () => context.isInterrupted()

  private var expected = range.fromSeqNo
  private var served = 0L
  private var doubtedGapAt = -1L
  private var heardMillis = clock.getTimeMillis()
  private var isOver = false

  private val receiver =
    resources.receivers.acquire(settings, range.partitionId, scope, range.fromSeqNo, context.attemptNumber() > 0)
  context.addTaskCompletionListener[Unit](_ => end())
  receiver.startRange(Long.MaxValue)

  /** The event that `advanceWithin` stopped at last. */
  def current: ReceivedEvent = receiver.event

  /** Sequence number of the first event not served yet. */
  def nextSeqNo: Long = expected

  /** Goes to the next event. False when none has come in this time. */
  def advanceWithin(millis: Long): Boolean = {
    val endMillis = clock.getTimeMillis() + millis
    var found = false
    var over = false
    while (!found && !over) {
      val left = math.max(0L, endMillis - clock.getTimeMillis())
      if (isOver) rest(left)
      else if (receiver.advanceWithin(stopped, math.min(left, receiver.silenceMillis))) found = isNext()
      else if (clock.getTimeMillis() - heardMillis >= settings.receiverTimeout.toMillis) lookAfterSilence()
      over = left == 0
    }
    found
  }

  def report: RangeReport = {
    val counts = receiver.counts
    val lastEnqueued = Option.when(served > 0)(current.enqueuedMillis)
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

  private def isNext(): Boolean = {
    val found = current.sequenceNumber
    heardMillis = clock.getTimeMillis()
    if (receiver.isLinkNew) noticeAnotherHub()
    val accepted = !isOver && (found == expected || isGapExplained(found))
    if (accepted) {
      expected = found + 1
      served += 1
    }
    accepted
  }

  /** False when the gap should be looked at once more, over a new link. */
  private def isGapExplained(found: Long): Boolean = {
    val earliest = receiver.bounds().earliest
    if (earliest > expected) lose(DataLoss.Kind.Expired, found, s"the first retained event is $earliest")
    else if (doubtedGapAt == expected) lose(DataLoss.Kind.Gap, found, s"event $found came next, twice")
    else {
      doubtedGapAt = expected
      receiver.reopenAt(expected)
    }
    expected == found
  }

  /**
   * Another hub of this name has other events under these numbers, so the task is over, though the batch is not. Where that
   * is no error the driver counts it when it plans the next batch, which begins with the other hub's first event.
   */
  private def endAt(change: String): Unit = {
    val loss = DataLoss(DataLoss.Kind.Recreated, range.partitionId, expected, expected, change)
    if (settings.failOnDataLoss) policy.report(loss)
    logWarning(s"$range ends at $expected: $change")
    isOver = true
  }

  private def noticeAnotherHub(): Unit = HubGenerationCheck.byEvent(receiver, resources.confirmations) match {
    case Some(change) => endAt(change)
    case None => receiver.isLinkNew = false
  }

  private def rest(millis: Long): Unit = {
    val endMillis = clock.getTimeMillis() + millis
    while (clock.getTimeMillis() < endMillis && !stopped())
      clock.waitTillTime(math.min(endMillis, clock.getTimeMillis() + 100))
    if (stopped()) throw new InterruptedException("the task was stopped while it waited for the end of its batch")
  }

  /** Nothing has come for long. Is there nothing, or is it lost, or does it not come over this link? */
  private def lookAfterSilence(): Unit = {
    heardMillis = clock.getTimeMillis()
    val bounds = receiver.bounds()
    // Not by the event at hand: there may be none, and one that came before tells nothing of now.
    HubGenerationCheck.byBounds(receiver, bounds, resources.confirmations).foreach(endAt)
    if (isOver) ()
    else if (bounds.latest < expected) {
      lose(DataLoss.Kind.Recreated, expected, s"the next event to arrive is ${bounds.latest}")
      expected = bounds.earliest
    } else if (bounds.earliest > expected)
      lose(DataLoss.Kind.Expired, bounds.earliest, s"the first retained event is ${bounds.earliest}")
    if (!isOver && (bounds.latest > expected || receiver.nextSeqNo != expected)) receiver.reopenAt(expected)
  }

  private def lose(kind: DataLoss.Kind, until: Long, facts: String): Unit = {
    policy.report(DataLoss(kind, range.partitionId, expected, until, facts))
    expected = until
  }

  private def end(): Unit = {
    totals.add(report)
    receiver.counts.reset()
    val isUseless = context.isFailed() || context.isInterrupted() || isOver
    if (isUseless || !reuseReceiver) receiver.close()
    else resources.receivers.release(receiver)
  }
}
