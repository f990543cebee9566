package org.apache.spark.eventhubs.send

import java.time.Duration
import java.util.concurrent.{CompletableFuture, ExecutionException, TimeUnit, TimeoutException}

import scala.annotation.tailrec

import org.apache.spark.eventhubs.connection.{
  BackOff,
  EventHubsProducer,
  ProducerClock,
  ProducerFailure,
  ProducerLease,
  SdkErrors
}

/**
 * Short questions to the service whose answer the calling thread needs before it can go on, tried again while that
 * makes sense.
 *
 * @param patience       how long to go on trying
 * @param maxAttempts    how often to try at most
 * @param checkCancelled throws when the task is to stop; asked often
 */
private[spark] final class ProducerCalls(
    lease: ProducerLease,
    patience: Duration,
    maxAttempts: Int,
    clock: ProducerClock,
    checkCancelled: () => Unit
) {

  /**
   * @param doing as it reads after "while"
   * @throws org.apache.spark.eventhubs.EventHubsException telling what was tried and what the service said
   */
  def apply[T](doing: => String)(call: EventHubsProducer => CompletableFuture[T]): T = {
    val deadline = clock.nanoTime + patience.toNanos

    @tailrec
    def attempt(number: Int): T = {
      val producer = lease.producer
      answer(call(producer), deadline) match {
        case Right(value) => value
        case Left(error) =>
          val failure = ProducerFailure.of(error)
          val delay = failure match {
            case ProducerFailure.Throttled(pause) => pause.toNanos
            case _ => BackOff.nanos(number)
          }
          val isLast = failure == ProducerFailure.Permanent || number >= maxAttempts ||
            clock.nanoTime + delay - deadline > 0
          if (isLast) throw SdkErrors.translate(error, lease.hub, doing)
          if (failure == ProducerFailure.ClientDead || (failure == ProducerFailure.Dropped && number > 1))
            lease.replace(producer)
          pause(delay)
          attempt(number + 1)
      }
    }
    attempt(1)
  }

  /** The SDK bounds each try; should it not, the deadline does. */
  @tailrec
  private def answer[T](future: CompletableFuture[T], deadline: Long): Either[Throwable, T] = {
    checkCancelled()
    val arrived =
      try Some(Right(future.get(ProducerCalls.LookUpMillis, TimeUnit.MILLISECONDS)))
      catch {
        case failed: ExecutionException => Some(Left(failed.getCause))
        case silence: TimeoutException => if (clock.nanoTime - deadline > 0) Some(Left(silence)) else None
      }
    arrived match {
      case Some(result) => result
      case None => answer(future, deadline)
    }
  }

  @tailrec
  private def pause(nanos: Long): Unit = {
    checkCancelled()
    val step = math.min(nanos, TimeUnit.MILLISECONDS.toNanos(ProducerCalls.LookUpMillis))
    clock.sleep(step)
    if (nanos > step) pause(nanos - step)
  }
}

private[eventhubs] object ProducerCalls {

  /** How long a waiting task may go without noticing that it was cancelled. */
  val LookUpMillis = 200L
}
