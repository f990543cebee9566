package org.apache.spark.eventhubs.send

import java.time.Duration
import java.util.concurrent.TimeoutException

import scala.collection.mutable

import org.apache.spark.eventhubs.connection.{EventHubsProducer, ProducerFailure}
import org.apache.spark.eventhubs.retry.BackOff

/**
 * Decides what is sent to one hub, and what follows each result. It has no thread and no clock, and uses no connection:
 * [[HubWriter]] says what happened and when, and does what it returns. A busy service and a back-off hold up this hub
 * alone. While batches are in doubt nothing is sent to it.
 *
 * @param budget     of the task, in all its hubs
 * @param settleTime see [[BatchDelivery.settleTime]]
 */
private[eventhubs] final class SendRules(
    limits: SendLimits,
    budget: TaskBudget,
    settleTime: Option[Duration],
    backOff: BackOff = BackOff.ForSending
) {
  import SendRules._

  private val window = new SendWindow(limits.maxInFlightBytes)
  private val busy = new BusyTime
  private val waiting = mutable.LinkedHashSet.empty[DestinationQueue]

  /** The oldest first. */
  private val onWire = mutable.LinkedHashMap.empty[InFlightBatch, Attempt]

  /** With the connections of their last attempts. */
  private val doubts = mutable.LinkedHashMap.empty[InFlightBatch, EventHubsProducer]

  private val silenceNanos = limits.silence.toNanos

  // What is sent.

  def isOnWire: Boolean = onWire.nonEmpty

  def hasWaiting: Boolean = waiting.nonEmpty

  /** The queues with batches that wait for their first or next attempt. */
  def toStart(nowNanos: Long): Seq[DestinationQueue] = {
    // Otherwise `nextStart` stays in the past.
    window.endPause(nowNanos)
    waiting.toList
  }

  /** Whether all waiting batches satisfy this. */
  def waitingAre(ready: DestinationQueue => Boolean): Boolean = waiting.forall(ready)

  /** @param accepted the number of batches that the service has accepted from this JVM so far */
  def add(batch: InFlightBatch, accepted: Long): Unit = {
    batch.startTimeLimit(accepted)
    batch.queue.add(batch)
    waiting += batch.queue
  }

  /** The first batch of this queue, if it may be sent now. */
  def next(queue: DestinationQueue, nowNanos: Long): Option[InFlightBatch] = {
    // Otherwise `nextStart` stays in the past while the queue waits for something else.
    queue.endBackOff(nowNanos)
    Option.when(doubts.isEmpty && queue.mayStart(nowNanos) && window.mayStart(queue.next.bytes, nowNanos))(queue.next)
  }

  /** Whether [[next]] would give a batch that is added now. */
  def sendsAtOnce(queue: DestinationQueue, bytes: Int, nowNanos: Long): Boolean =
    doubts.isEmpty && queue.sendsAtOnce && queue.notBeforeNanos.forall(_ - nowNanos <= 0) &&
      window.mayStart(bytes, nowNanos)

  /** When waiting batches may be sent even if no result arrives: when the service's pause or a back-off ends. */
  def nextStart: Option[Long] =
    (window.pauseEnds ++ waiting.flatMap(_.notBeforeNanos)).reduceOption((a, b) => if (a - b < 0) a else b)

  /** The batch, which [[next]] gave, is sent over this connection. */
  def started(batch: InFlightBatch, over: EventHubsProducer, nowNanos: Long): Attempt = {
    batch.queue.start()
    if (!batch.queue.hasWaiting) waiting -= batch.queue
    if (batch.startAttempt()) budget.retried()
    window.started(batch.bytes)
    val attempt = new Attempt(batch, over, nowNanos)
    onWire(batch) = attempt
    attempt
  }

  // What follows a result.

  /** @param accepted as of [[add]] */
  def ended(
      attempt: Attempt,
      error: Option[Throwable],
      endedNanos: Long,
      accepted: Long,
      nowNanos: Long
  ): Seq[Action] =
    // The late result of an attempt that already counts as unanswered changes nothing.
    if (!isCurrent(attempt)) Nil
    else {
      end(attempt)
      error match {
        case None =>
          window.confirmed(attempt.batch.bytes)
          budget.confirmed(attempt.batch)
          Seq(Accepted(attempt.batch))
        case Some(reported) => failed(attempt, reported, endedNanos, accepted, nowNanos)
      }
    }

  /**
   * The SDK ends each attempt in time, so it has lost one that takes longer: the attempt counts as one without an
   * answer, and its batch is sent again over another connection. How late this is noticed does not count.
   *
   * @return first that their connections have stalled: another action may fail, and other tasks use the connections too
   */
  def endLostAttempts(accepted: Long, nowNanos: Long): Seq[Action] = {
    val actions = onWire.valuesIterator.takeWhile(nowNanos - _.startedNanos > silenceNanos).toList.flatMap { lost =>
      val error = noAnswer(limits.silence)
      ended(lost, Some(error), lost.startedNanos + silenceNanos, accepted, nowNanos) match {
        case Seq() => Nil
        case actions => Stalled(lost.over) +: actions
      }
    }
    val (stalled, others) = actions.partition(_.isInstanceOf[Stalled])
    stalled.distinct ++ others
  }

  /** Where a batch has less time than the SDK has for one attempt. */
  def failOverdue(nowNanos: Long): Seq[Action] = onWire.valuesIterator.take(1).toList.collect {
    case oldest if nowNanos - oldest.startedNanos > limits.sendTimeout.toNanos =>
      Fail(oldest.batch, noAnswer(limits.sendTimeout))
  }

  // Batches in doubt.

  /** Whether any batch is in doubt. */
  def hasDoubts: Boolean = doubts.nonEmpty

  def inDoubt: Seq[(InFlightBatch, EventHubsProducer)] = doubts.toSeq

  /** The batches in doubt, once nothing else is on the wire. */
  def toResolve: Seq[(InFlightBatch, EventHubsProducer)] = if (onWire.isEmpty) inDoubt else Nil

  /** The hub has `stored`, and no other batch that was in doubt. */
  def resolved(stored: Seq[InFlightBatch]): Unit = {
    doubts.clear()
    stored.foreach { batch =>
      batch.queue.remove(batch)
      if (!batch.queue.hasWaiting) waiting -= batch.queue
      budget.confirmed(batch)
    }
  }

  // A task that gives up.

  /** A result for a task that gives up, and sends nothing any more. */
  def endedLast(attempt: Attempt, error: Option[Throwable]): Unit = if (isCurrent(attempt)) {
    onWire -= attempt.batch
    if (ProducerFailure.isNoAnswer(error)) doubts(attempt.batch) = attempt.over
  }

  /** There will be no answers any more. */
  def abandon(): Seq[Action] = {
    val unanswered = onWire.values.toList
    onWire.clear()
    unanswered.foreach(attempt => doubts(attempt.batch) = attempt.over)
    unanswered.map(_.over).distinct.map(Stalled) ++ doubts.values.toList.distinct.map(Replace)
  }

  private def failed(
      attempt: Attempt,
      reported: Throwable,
      endedNanos: Long,
      accepted: Long,
      nowNanos: Long
  ): Seq[Action] = {
    val batch = attempt.batch
    val error = if (settleTime.isDefined) reported else ProducerFailure.reasonOfClose(reported)
    ProducerFailure.of(error) match {
      case ProducerFailure.Throttled(pause) =>
        window.throttled(batch.bytes, pause, nowNanos)
        budget.throttled()
        // Does not fail while the service, although slow, accepts other batches of this JVM.
        batch.renewTimeLimit(accepted)
        busy.add(attempt.startedNanos, endedNanos + pause.toNanos, accepted)
        // The window keeps the pause too, because it applies to all queues.
        if (busy.exceeds(limits.sendTimeout)) Seq(Fail(batch, error)) else backOffFor(batch, pause.toNanos, nowNanos)
      case ProducerFailure.Permanent =>
        window.failed(batch.bytes)
        Seq(Fail(batch, error))
      case failure =>
        window.failed(batch.bytes)
        batch.attemptLost()
        val actions = LinkLost(batch) +: connectionAfter(failure, attempt, endedNanos)
        val delay = backOff.nanos(batch.attempts)
        batch.addSpent(endedNanos - attempt.startedNanos + delay)
        actions ++ (
          if (batch.spentNanos > limits.sendTimeout.toNanos) Seq(Fail(batch, error))
          else backOffFor(batch, delay, nowNanos)
        )
    }
  }

  private def connectionAfter(failure: ProducerFailure, attempt: Attempt, endedNanos: Long): Seq[Action] = {
    val isDead = failure == ProducerFailure.ClientDead
    if (settleTime.isDefined && failure == ProducerFailure.NotProcessed) {
      // The service has answered, and does not know the result. Nothing of the batch is on its way.
      doubts(attempt.batch) = attempt.over
      Nil
    } else if (settleTime.isDefined) doubt(attempt, endedNanos)
    // The first retry after a lost link uses a new one. If that is lost too, the client is replaced.
    else if (isDead || (failure == ProducerFailure.Dropped && attempt.batch.attempts > 1)) Seq(Replace(attempt.over))
    else Nil
  }

  /**
   * The connection is aborted at once, so that nothing that waits in it is sent after the lookup. Its other batches are
   * then in doubt too: for some of them the SDK reports no result before their timeout.
   */
  private def doubt(attempt: Attempt, endedNanos: Long): Seq[Action] = {
    val others = onWire.values.filter(_.over eq attempt.over).toList
    doubts(attempt.batch) = attempt.over
    others.foreach { other =>
      end(other)
      window.failed(other.batch.bytes)
      // It may have started after the result came, while the task waited for another hub.
      other.batch.addSpent(math.max(0L, endedNanos - other.startedNanos))
      other.batch.attemptLost()
      doubts(other.batch) = other.over
      putBack(other.batch)
    }
    val isLate = (attempt :: others).exists(sent => isLongerThanSettling(endedNanos - sent.startedNanos, settleTime))
    (if (isLate) Seq(Stalled(attempt.over)) else Nil) :+ Replace(attempt.over)
  }

  private def backOffFor(batch: InFlightBatch, delayNanos: Long, nowNanos: Long): Seq[Action] = {
    batch.queue.backOffUntil(nowNanos + delayNanos)
    putBack(batch)
    Nil
  }

  private def putBack(batch: InFlightBatch): Unit = {
    batch.queue.putBack(batch)
    waiting += batch.queue
  }

  private def isCurrent(attempt: Attempt): Boolean = onWire.get(attempt.batch).exists(_ eq attempt)

  private def end(attempt: Attempt): Unit = {
    onWire -= attempt.batch
    attempt.batch.queue.attemptEnded()
  }

  private def noAnswer(within: Duration) = new TimeoutException(s"no answer within ${math.max(1, within.toSeconds)} s")
}

private[eventhubs] object SendRules {

  /** A batch that was given to a connection. */
  final class Attempt(val batch: InFlightBatch, val over: EventHubsProducer, val startedNanos: Long)

  /** What the rules want done. They have noted it already. */
  sealed trait Action

  /** The service has accepted the batch in this attempt. */
  final case class Accepted(batch: InFlightBatch) extends Action

  /** The link of the batch may have ended. */
  final case class LinkLost(batch: InFlightBatch) extends Action

  /** What was sent over this connection may arrive much later. */
  final case class Stalled(connection: EventHubsProducer) extends Action

  /** Aborts the connection. If no other one can be opened that fails the task. */
  final case class Replace(connection: EventHubsProducer) extends Action

  /** The task fails. */
  final case class Fail(batch: InFlightBatch, error: Throwable) extends Action

  /** Whether this failure shows that what was sent over the same connection may arrive much later. */
  def isStall(error: Throwable, unansweredNanos: Long, settleTime: Option[Duration]): Boolean =
    ProducerFailure.isTimeout(error) || (ProducerFailure.of(error) match {
      case ProducerFailure.Dropped | ProducerFailure.ClientDead => isLongerThanSettling(unansweredNanos, settleTime)
      case _ => false
    })

  /** The settle time covers only what is answered in less than that. */
  private def isLongerThanSettling(unansweredNanos: Long, settleTime: Option[Duration]): Boolean =
    settleTime.exists(unansweredNanos >= _.toNanos)
}
