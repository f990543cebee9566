package org.apache.spark.eventhubs.connection

import java.time.Duration
import java.util.concurrent.TimeoutException
import java.util.concurrent.atomic.{AtomicInteger, AtomicReference}

import reactor.core.publisher.Mono
import reactor.util.retry.Retry

import org.apache.spark.eventhubs.retry.BackOff

/**
 * Retries calls that may succeed the next time. The SDK does not retry a call whose connection was lost.
 *
 * @param within   limits each call, with all its attempts
 * @param limiter  says when each attempt may start, for questions of the management node
 * @param nanoTime as `System.nanoTime`
 * @param isRoutine whether nobody waits for the answers, so that other questions go first
 */
private[connection] final class Attempts(
    within: Duration,
    limiter: Option[ManagementRateLimiter] = None,
    nanoTime: () => Long = () => System.nanoTime(),
    isRoutine: Boolean = false
) {

  import Attempts._

  @volatile var lastFailure: Option[Throwable] = None

  /** When the last call got its first turn or its result. A paced round of many calls does not wait for an answer. */
  @volatile var waitingSince: Long = nanoTime()

  /** Calls that have had their first turn, and have no result yet. */
  private val running = new AtomicInteger

  /** Whether the service has been asked and has not answered, so that not only a turn is waited for. */
  def isAsking: Boolean = running.get > 0

  /** Whether calls have no result long after their time. Their timers or their results were lost in this JVM. */
  def isOverdue: Boolean = running.get > 0 && nanoTime() - waitingSince >= within.plus(Grace).toNanos

  /**
   * The answer to a question, or its last failure when its time is over. An answer may be lost without an error. So the
   * first two attempts wait for a part of the time only, and the third for the rest, in case the service is slow.
   *
   * @param question waits for this long for its answer; None leaves the limit to this class
   */
  def answer[A](question: Option[Duration] => Mono[A]): Mono[A] = Mono.defer { () =>
    val lost = new AtomicInteger
    val call = Mono.defer(() => question(share(lost.get))).doOnError { failed: Throwable =>
      if (isTimeout(failed)) { val _ = lost.incrementAndGet() }
    }
    apply(call)(failed => Mono.error[A](failed.filterNot(isTimeout).getOrElse(noAnswer)))
  }

  /** The failure of a question whose time is over. */
  def noAnswer: TimeoutException = new TimeoutException(s"none within ${within.toSeconds} s")

  /** How long an attempt waits for its answer when so many answers were lost. */
  private def share(lost: Int): Option[Duration] = Shares.lift(lost).map(part => within.dividedBy(part))

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
      running.incrementAndGet()
      attempts.timeout(within, Mono.defer(() => late(failure.get))).doFinally(_ => {
        val _ = running.decrementAndGet()
      })
    }
    turn.`then`(inTime).doOnNext(_ => noteProgress())
  }

  private def noteProgress(): Unit = waitingSince = nanoTime()

  private def turn: Mono[Void] =
    limiter.fold(Mono.empty[Void]())(shared => if (isRoutine) shared.routineTurn else shared.turn)

  /** Where a partition has all its receivers, one of them will close soon: most serve one task. */
  private def mayPass(failed: Throwable): Boolean =
    SdkErrors.isTransient(failed) || SdkErrors.isTooManyReceivers(failed)

  private def pause(failed: Throwable, failures: Long): Mono[Void] =
    if (SdkErrors.isServerBusy(failed))
      limiter.fold(Mono.delay(BackOff.whenBusy).`then`()) { shared =>
        shared.refused()
        turn
      }
    else Mono.delay(Duration.ofNanos(BackOff.ForAsking.nanos(math.min(failures, 100L).toInt))).`then`(turn)
}

private[connection] object Attempts {

  /** An eighth of the time for the first attempt, a quarter for the second one. */
  private val Shares = Seq(8L, 4L)

  /** How much longer than its time a call may take, as on a machine that is busy. */
  private[connection] val Grace = Duration.ofSeconds(5)

  private def isTimeout(failed: Throwable): Boolean = SdkErrors.cause(failed).isInstanceOf[TimeoutException]
}
