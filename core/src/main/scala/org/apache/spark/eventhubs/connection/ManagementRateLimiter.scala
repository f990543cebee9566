package org.apache.spark.eventhubs.connection

import java.time.Duration
import java.util.concurrent.ThreadLocalRandom
import java.util.concurrent.TimeUnit.{MILLISECONDS, SECONDS}

import scala.collection.mutable

import reactor.core.publisher.Mono

import org.apache.spark.eventhubs.options.ConnectionSettings
import org.apache.spark.eventhubs.retry.BackOff
import org.apache.spark.util.Clock

/**
 * Spreads the management questions of one JVM about one namespace over time, because the service allows 50 a second for
 * each namespace. Up to 40 questions start at once. The others follow after a second, 40 in each second.
 *
 * JVMs do not know of each other. So when the service refuses a question because it is busy, all questions of this JVM
 * wait, as long as the service asks for, and then start at half the rate. The rate grows again while nothing is
 * refused.
 *
 * Routine questions, whose answers nobody waits for, start one after the other, 10 in each second, and only while no
 * other question waits. After 10 seconds they take their turn among the others, which may ask without end.
 *
 * @param perSecond the highest rate; None for a hub on the same machine, where only a refusal makes questions wait
 * @param random    numbers from 0 to 1 that vary the pause after a refusal, so that JVMs do not come back in step
 */
private[eventhubs] final class ManagementRateLimiter(perSecond: Option[Int], clock: Clock, random: () => Double) {

  import ManagementRateLimiter._

  /** When the last questions start, oldest first. */
  private val starts = mutable.Queue.empty[Long]
  private var rate = perSecond.getOrElse(Int.MaxValue)
  private var pausedUntil = Long.MinValue
  private var raisedAt = Long.MinValue

  /** When the last routine question starts. */
  private var lastRoutine = Long.MinValue

  /** Completes when the next question may start. Cancelling gives the turn away. */
  def turn: Mono[Void] = Mono.defer { () =>
    val wait = nanosToTurn()
    if (wait <= 0) Mono.empty[Void]() else Mono.delay(Duration.ofNanos(wait)).`then`()
  }

  /** Completes when the next routine question may start. */
  def routineTurn: Mono[Void] = Mono.defer(() => routineTurn(clock.nanoTime()))

  private def routineTurn(sinceNanos: Long): Mono[Void] = {
    val wait = nanosToRoutineTurn()
    if (wait <= 0) Mono.empty[Void]()
    else
      Mono.delay(Duration.ofNanos(wait)).`then`(
        Mono.defer(() => if (isRoutineDue(sinceNanos)) turn else routineTurn(sinceNanos))
      )
  }

  /** Whether a routine question that waits since then takes the next turn. */
  private[connection] def isRoutineDue(sinceNanos: Long): Boolean =
    nanosToFreeTurn() <= 0 || clock.nanoTime() - sinceNanos >= RoutinePatienceNanos

  /** Takes a turn behind the other routine questions, and returns the time until then. It starts if no other waits. */
  private[connection] def nanosToRoutineTurn(): Long = synchronized {
    val now = clock.nanoTime()
    val next = if (perSecond.isEmpty || lastRoutine == Long.MinValue) now else lastRoutine + RoutineNanos
    lastRoutine = math.max(now + nanosToFreeTurn(), next)
    if (lastRoutine <= now) nanosToTurn() else lastRoutine - now
  }

  /** The time until no question waits for its turn. */
  private[connection] def nanosToFreeTurn(): Long = synchronized {
    val now = clock.nanoTime()
    raiseRate(now)
    val free = if (starts.length >= rate) starts(starts.length - rate) + Second else now
    math.max(0L, Seq(free, pausedUntil, starts.lastOption.getOrElse(now)).max - now)
  }

  /** Takes the next turn, and returns the time until then. */
  private[connection] def nanosToTurn(): Long = synchronized {
    val now = clock.nanoTime()
    raiseRate(now)
    var start = math.max(now, pausedUntil)
    if (starts.length >= rate) start = math.max(start, starts(starts.length - rate) + Second)
    if (start > now) starts.lastOption.foreach(last => start = math.max(start, last + Second / rate))
    perSecond.foreach { most =>
      starts += start
      if (starts.length > most) starts.dequeue()
    }
    start - now
  }

  /** The service has refused a question because it is busy. */
  def refused(): Unit = synchronized {
    val now = clock.nanoTime()
    // The questions of one moment are refused together, and are one reason to slow down.
    if (now >= pausedUntil) {
      pausedUntil = now + (BackOff.BusyPause.toNanos * (1 + Jitter * random())).toLong
      raisedAt = pausedUntil
      if (perSecond.isDefined) rate = math.max(LowestRate, rate / 2)
    }
  }

  private def raiseRate(now: Long): Unit = perSecond.foreach { most =>
    while (rate < most && now - raisedAt >= RaiseEveryNanos) {
      raisedAt += RaiseEveryNanos
      rate = math.min(most, 2 * rate)
    }
  }
}

private[eventhubs] object ManagementRateLimiter {

  /** The service allows 50. Other clients, and clocks that differ, have room. */
  private[eventhubs] val PerSecond = 40

  /** Leaves the most of the service's limit to starts, and to other applications. */
  private val RoutinePerSecond = 10
  private val LowestRate = 5
  private val Second = SECONDS.toNanos(1)
  private val RoutineNanos = Second / RoutinePerSecond
  private val RoutinePatienceNanos = 10 * Second
  private val Jitter = 0.25
  private val RaiseEveryNanos = MILLISECONDS.toNanos(10000)

  /** How long so many routine questions take. */
  def routineMillis(questions: Int): Long = 1000L * questions / RoutinePerSecond

  private def random(): Double = ThreadLocalRandom.current().nextDouble()

  def forService(clock: Clock): ManagementRateLimiter =
    new ManagementRateLimiter(Some(PerSecond), clock, () => random())

  /** Limits the questions to a hub on this machine. */
  def forEmulator(clock: Clock): ManagementRateLimiter = new ManagementRateLimiter(None, clock, () => random())
}

/** The rate limiters of a JVM: one for each namespace. */
private[eventhubs] final class ManagementRateLimits(clock: Clock) {

  private val limiters = mutable.Map.empty[(String, Option[Int], Boolean), ManagementRateLimiter]

  def of(settings: ConnectionSettings): ManagementRateLimiter = synchronized {
    limiters.getOrElseUpdate(
      (settings.hub.namespace, settings.port, settings.developmentEmulator),
      if (settings.developmentEmulator) ManagementRateLimiter.forEmulator(clock)
      else ManagementRateLimiter.forService(clock)
    )
  }
}
