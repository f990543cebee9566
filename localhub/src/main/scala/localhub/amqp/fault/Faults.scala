package localhub.amqp.fault

import java.time.{Clock, Instant}

import scala.util.Random

/** An injected fault and how often it has happened. */
final case class InjectedFault(id: Long, fault: Fault, hits: Int)

/**
 * The faults of a server. Tests and users inject them; the server looks them up on each occasion. Thread-safe. The same
 * seed and the same order of occasions give the same faults.
 */
final class Faults private[amqp] (clock: Clock, applyNow: (Fault, FaultScope => Boolean) => Unit) {

  private var random = new Random(0)
  private var lastId = 0L
  private var plans = Vector.empty[FaultPlan]

  // Read on every occasion without a lock, so that a server without faults pays nothing.
  @volatile private var quiet = true

  /** Restarts the random sequence. */
  def seed(value: Long): Unit = synchronized { random = new Random(value) }

  /** Activates a fault until its count or duration is reached or it is cancelled. */
  def inject(fault: Fault): InjectedFault = {
    val plan = synchronized {
      lastId += 1
      val added = new FaultPlan(lastId, fault, clock.instant())
      plans = plans.filter(_.isKept(clock.instant())) :+ added
      quiet = false
      added
    }
    if (fault.occasion == Occasion.Now) {
      applyNow(fault, scope => decide(plan, scope))
      cancel(plan.id)
    }
    plan.snapshot
  }

  /** Ends a fault and resumes what it stalled. False when it had ended before. */
  def cancel(id: Long): Boolean = synchronized {
    val (ended, left) = plans.partition(_.id == id)
    ended.foreach(_.cancel())
    plans = left
    quiet = plans.isEmpty
    ended.nonEmpty
  }

  def clear(): Unit = synchronized {
    plans.foreach(_.cancel())
    plans = Vector.empty
    quiet = true
  }

  /** The faults that can still happen, and those whose stall or hiding has not ended. */
  def active: Seq[InjectedFault] = synchronized(plans.filter(_.isKept(clock.instant())).map(_.snapshot))

  /** The fault that happens on this occasion, if any. */
  private[amqp] def at(occasion: Occasion, scope: FaultScope): Option[FaultHit] =
    if (quiet) None
    else
      synchronized {
        plans.find(plan => plan.fault.occasion == occasion && plan.triggers(scope, clock.instant(), random)).map { plan =>
          new FaultHit(plan.fault.action, () => plan.isHolding(clock.instant()))
        }
      }

  private def decide(plan: FaultPlan, scope: FaultScope): Boolean =
    synchronized(plan.triggers(scope, clock.instant(), random))
}

/** A fault that happens now: its action, and whether stalled work must still wait. */
private[amqp] final class FaultHit(val action: FaultAction, val isHolding: () => Boolean)

/** An injected fault and its counters; guarded by the lock of [[Faults]]. */
private final class FaultPlan(val id: Long, val fault: Fault, from: Instant) {
  private var occasions = 0
  private var hits = 0
  @volatile private var cancelled = false

  def snapshot: InjectedFault = InjectedFault(id, fault, hits)

  def cancel(): Unit = cancelled = true

  /** Whether its duration is not over. Stalled work waits even if the fault cannot happen again. */
  def isHolding(now: Instant): Boolean = !cancelled && fault.duration.forall(d => now.isBefore(from.plus(d)))

  def isAlive(now: Instant): Boolean = isHolding(now) && fault.count.forall(hits < _)

  /** Whether it can happen again, or something waits for its end. */
  def isKept(now: Instant): Boolean = isAlive(now) || (hits > 0 && stalls && isHolding(now))

  private def stalls: Boolean = fault.action == FaultAction.Stall || fault.action == FaultAction.HideEvents

  def triggers(scope: FaultScope, now: Instant, random: Random): Boolean =
    isAlive(now) && fault.scope.includes(scope) && {
      occasions += 1
      val hit = occasions > fault.skip && (fault.probability >= 1 || random.nextDouble() < fault.probability)
      if (hit) hits += 1
      hit
    }
}
