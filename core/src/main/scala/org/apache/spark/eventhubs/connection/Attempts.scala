package org.apache.spark.eventhubs.connection

import java.time.Duration
import java.util.concurrent.TimeoutException
import java.util.concurrent.atomic.AtomicReference

import reactor.core.publisher.Mono
import reactor.util.retry.Retry

import org.apache.spark.eventhubs.retry.BackOff

/**
 * Retries calls that may succeed the next time. The SDK does not retry a call whose connection was lost.
 *
 * @param within  limits each call, with all its attempts
 * @param limiter says when each attempt may start, for questions of the management node
 */
private[connection] final class Attempts(within: Duration, limiter: Option[ManagementRateLimiter] = None) {

  @volatile var lastFailure: Option[Throwable] = None

  /** When the last call got its first turn or its result. A paced round of many calls does not wait for an answer. */
  @volatile var waitingSince: Long = System.nanoTime()

  /** The result of a call, or its last failure when its time is over. */
  def answer[A](call: Mono[A]): Mono[A] = apply(call)(failed =>
    Mono.error[A](failed.getOrElse(new TimeoutException(s"none within ${within.toSeconds} s")))
  )

  /** @param late makes the result from the last failure when the time is over */
  def apply[A](call: Mono[A])(late: Option[Throwable] => Mono[A]): Mono[A] = Mono.defer { () =>
    val failure = new AtomicReference(Option.empty[Throwable])
    val attempts = call.retryWhen(Retry.from(_.concatMap { signal =>
      val failed = signal.failure
      if (!mayPass(failed)) Mono.error[java.lang.Long](failed)
      else {
        failure.set(Some(failed))
        lastFailure = Some(failed)
        pause(failed, signal.totalRetriesInARow + 1).thenReturn(java.lang.Long.valueOf(0L))
      }
    }))
    val inTime = Mono.defer { () =>
      noteProgress()
      attempts.timeout(within, Mono.defer(() => late(failure.get)))
    }
    turn.`then`(inTime).doOnNext(_ => noteProgress())
  }

  private def noteProgress(): Unit = waitingSince = System.nanoTime()

  private def turn: Mono[Void] = limiter.fold(Mono.empty[Void]())(_.turn)

  /** Where a partition has all its receivers, one of them will close soon: most serve one task. */
  private def mayPass(failed: Throwable): Boolean =
    SdkErrors.isTransient(failed) || SdkErrors.isTooManyReceivers(failed)

  private def pause(failed: Throwable, failures: Long): Mono[Void] =
    if (SdkErrors.isServerBusy(failed))
      limiter.fold(Mono.delay(BackOff.whenBusy).`then`()) { shared =>
        shared.refused()
        shared.turn
      }
    else Mono.delay(Duration.ofNanos(BackOff.ForAsking.nanos(math.min(failures, 100L).toInt))).`then`(turn)
}
