package org.apache.spark.eventhubs.send

import java.time.Duration
import java.util.concurrent.{CompletableFuture, ExecutionException, TimeUnit, TimeoutException}

import scala.annotation.tailrec

import org.apache.spark.eventhubs.connection.{EventHubsProducer, ProducerFailure, ProducerLease}
import org.apache.spark.eventhubs.retry.{BackOff, CancellableWait}
import org.apache.spark.util.Clock

/**
 * Short calls to the service whose result the calling thread needs before it can continue, retried while that can help.
 *
 * @param timeout        of a call with all its attempts
 * @param maxAttempts    of a call
 * @param checkCancelled throws when the task is to stop; called often
 * @param waitsForBusy   whether the time in which the service is busy does not count, as long as a task waits for that
 */
private[spark] final class ProducerCalls(
    lease: ProducerLease,
    timeout: Duration,
    maxAttempts: Int,
    clock: Clock,
    checkCancelled: () => Unit,
    waitsForBusy: Boolean = false
) {

  private val busy = new BusyTime

  /**
   * @param doing what is done, as it reads after "while": `asking for its partitions`
   * @throws org.apache.spark.eventhubs.EventHubsException with `doing` and the service's error text
   */
  def apply[T](doing: => String)(call: EventHubsProducer => CompletableFuture[T]): T = {
    @tailrec
    def attempt(number: Int, deadline: Long): T = {
      val producer = lease.producer
      val started = clock.nanoTime()
      val acceptedBefore = lease.accepted
      await(call(producer), deadline) match {
        case Right(value) => value
        case Left(error) =>
          val isTimeout = ProducerFailure.isTimeout(error)
          // One answer was lost on a connection that works: what others have sent over it would be in doubt.
          val isSpared = isTimeout && number == 1 && lease.accepted > acceptedBefore
          // Other tasks may have sent over this connection, and then have to know that it has stalled.
          if (isTimeout && !isSpared) producer.markStalled()
          val failure = ProducerFailure.of(error)
          val delay = failure match {
            case ProducerFailure.Throttled(pause) => pause.toNanos
            case _ => BackOff.ForSending.nanos(number)
          }
          val next = clock.nanoTime() + delay
          val isBusy = waitsForBusy && failure.isInstanceOf[ProducerFailure.Throttled]
          if (isBusy) busy.add(started, next, lease.accepted)
          val extended = if (isBusy) deadline + (next - started) else deadline
          val isLast = failure == ProducerFailure.Permanent || number >= maxAttempts || next - extended > 0 ||
            (isBusy && busy.exceeds(timeout))
          if (isLast) throw lease.failure(error, doing)
          val isDead = failure == ProducerFailure.ClientDead || (failure == ProducerFailure.Dropped && number > 1)
          if (isDead && !isSpared) lease.replace(producer)
          CancellableWait(clock, delay, checkCancelled)
          attempt(number + 1, extended)
      }
    }
    attempt(1, clock.nanoTime() + timeout.toNanos)
  }

  private def noAnswer = new TimeoutException(s"no answer within ${timeout.toSeconds} s")

  /** The SDK limits the time of each attempt; if it does not, the deadline does. */
  @tailrec
  private def await[T](future: CompletableFuture[T], deadline: Long): Either[Throwable, T] = {
    checkCancelled()
    val arrived =
      try Some(Right(future.get(CancellableWait.PollMillis, TimeUnit.MILLISECONDS)))
      catch {
        case failed: ExecutionException => Some(Left(failed.getCause))
        case _: TimeoutException => Option.when(clock.nanoTime() - deadline > 0)(Left(noAnswer))
      }
    arrived match {
      case Some(result) => result
      case None => await(future, deadline)
    }
  }
}
