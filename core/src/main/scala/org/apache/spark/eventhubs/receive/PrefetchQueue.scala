package org.apache.spark.eventhubs.receive

import java.util.concurrent.locks.LockSupport

import org.reactivestreams.Subscription
import reactor.core.publisher.BaseSubscriber
import reactor.util.concurrent.Queues

/**
 * Hands the events of one link from the thread of its connection to one task thread. What it asks for is the link's credit,
 * so it holds what is prefetched.
 *
 * Waking a parked thread for every event costs about half of the throughput at 100 bytes (facts: the cost is the wake-up, not
 * the queue), so the task is woken once per [[PrefetchQueue.WakeEvery]] events, or when all have come that it waits for; a
 * short timed park covers the rest, and makes a lost wake-up harmless.
 *
 * @param capacity most events that are asked for and not yet taken; `request` must never go beyond
 */
final class PrefetchQueue(capacity: Int) extends BaseSubscriber[Array[Byte]] {

  import PrefetchQueue._

  private val queue = Queues.get[Array[Byte]](capacity).get()

  @volatile private var waiter: Thread = _
  @volatile private var wakeAfter = WakeEvery
  @volatile private var ending: Option[Ending] = None
  private var arrivedSinceWake = 0

  /** Nothing is asked for before the task says how much it wants; the default would be everything. */
  override def hookOnSubscribe(subscription: Subscription): Unit = ()

  override def hookOnNext(event: Array[Byte]): Unit = {
    if (!queue.offer(event)) end(Ending.Failed(new IllegalStateException("more events arrived than were asked for")))
    val parked = waiter
    if (parked ne null) {
      arrivedSinceWake += 1
      if (arrivedSinceWake >= wakeAfter) {
        arrivedSinceWake = 0
        LockSupport.unpark(parked)
      }
    }
  }

  override def hookOnComplete(): Unit = end(Ending.Completed)

  override def hookOnError(error: Throwable): Unit = end(Ending.Failed(error))

  /** The next event, or null when none has arrived: called once per event, so without an Option. */
  def poll(): Array[Byte] = queue.poll()

  def isEmpty: Boolean = queue.isEmpty

  /** How the link ended, once all that it delivered has been polled. */
  def ended: Option[Ending] = if (queue.isEmpty) ending else None

  /** Whether no more will arrive, though something may be left to poll. */
  def hasEnded: Boolean = ending.nonEmpty

  /**
   * Waits until an event may be there, the link has ended, or the time is over. Called by the task's thread only, when it
   * has polled all that came.
   *
   * @param wanted events that the task still waits for: fewer than usual wake it
   */
  def park(nanos: Long, wanted: Long): Unit = {
    wakeAfter = math.max(1L, math.min(WakeEvery.toLong, wanted)).toInt
    waiter = Thread.currentThread
    try
      if (queue.isEmpty && ending.isEmpty) LockSupport.parkNanos(this, math.min(nanos, LongestParkNanos))
    finally waiter = null
  }

  private def end(how: Ending): Unit = {
    ending = Some(how)
    Option(waiter).foreach(LockSupport.unpark)
  }
}

object PrefetchQueue {
  private val WakeEvery = 256
  private val LongestParkNanos = 500000L

  sealed trait Ending
  object Ending {

    /** The SDK completes a link whose connection went away: not the end of the data. */
    case object Completed extends Ending
    final case class Failed(error: Throwable) extends Ending
  }
}
