package localhub.amqp.fault

import java.time.{Clock, Instant}

import scala.util.Random

/** A fault that was injected, and how often it has happened. */
final case class InjectedFault(id: Long, fault: Fault, hits: Int)

/**
 * The faults of a server: told by tests and by people, asked by the protocol at each occasion. Safe for use by many
 * threads. The same seed and the same order of occasions give the same faults.
 */
final class Faults private[amqp] (clock: Clock, applyNow: (Fault, FaultScope => Boolean) => Unit) {

  private var random = new Random(0)
  private var lastId = 0L
  private var plans = Vector.empty[FaultPlan]

  // Read on every turn of every link, so that a server without faults pays nothing for them.
  @volatile private var quiet = true

  /** Starts the sequence of chances anew. */
  def seed(value: Long): Unit = synchronized { random = new Random(value) }

  /** Lets a fault happen from now on; it is over when its count or duration is, or when it is cancelled. */
  def inject(fault: Fault): InjectedFault = {
    val plan = synchronized {
      lastId += 1
      val added = new FaultPlan(lastId, fault, clock.instant())
      plans = plans.filter(_.isAlive(clock.instant())) :+ added
      quiet = false
      added
    }
    if (fault.occasion == Occasion.Now) {
      applyNow(fault, place => decide(plan, place))
      cancel(plan.id)
    }
    plan.snapshot
  }

  /** Ends a fault; what it stalled goes on. False when it was over already. */
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

  /** The faults that still can happen. */
  def active: Seq[InjectedFault] = synchronized(plans.filter(_.isAlive(clock.instant())).map(_.snapshot))

  /** What goes wrong on this occasion, if anything does. */
  private[amqp] def at(occasion: Occasion, place: FaultScope): Option[FaultHit] =
    if (quiet) None
    else
      synchronized {
        plans.find(plan => plan.fault.occasion == occasion && plan.happens(place, clock.instant(), random)).map { plan =>
          new FaultHit(plan.fault.action, () => plan.isHolding(clock.instant()))
        }
      }

  private def decide(plan: FaultPlan, place: FaultScope): Boolean =
    synchronized(plan.happens(place, clock.instant(), random))
}

/** A fault that happens: what to do, and whether what it stalls is still to wait. */
private[amqp] final class FaultHit(val action: FaultAction, val isHolding: () => Boolean)

/** An injected fault and its counts; guarded by the lock of [[Faults]]. */
private final class FaultPlan(val id: Long, val fault: Fault, from: Instant) {
  private var occasions = 0
  private var hits = 0
  @volatile private var cancelled = false

  def snapshot: InjectedFault = InjectedFault(id, fault, hits)

  def cancel(): Unit = cancelled = true

  /** Whether its time is not over, even if it does not happen any more. */
  def isHolding(now: Instant): Boolean = !cancelled && fault.duration.forall(d => now.isBefore(from.plus(d)))

  def isAlive(now: Instant): Boolean = isHolding(now) && fault.count.forall(hits < _)

  def happens(place: FaultScope, now: Instant, random: Random): Boolean =
    isAlive(now) && fault.scope.includes(place) && {
      occasions += 1
      val hit = occasions > fault.skip && (fault.probability >= 1 || random.nextDouble() < fault.probability)
      if (hit) hits += 1
      hit
    }
}
