package org.apache.spark.eventhubs.receive

import java.util.concurrent.atomic.AtomicReference
import java.util.concurrent.locks.LockSupport

import org.reactivestreams.Subscription
import reactor.core.publisher.BaseSubscriber
import reactor.util.concurrent.Queues

/**
 * The prefetched events of one link, passed from the connection's thread to the task's thread. The queue's requests are
 * the link's credit.
 *
 * A wake-up per event costs about half of the throughput at 100 bytes. So the task is woken once per 256 events, or
 * when all events that it waits for have come. Otherwise a short timed park ends, which also makes a lost wake-up
 * harmless.
 *
 * @param capacity limit on the events that are requested and not polled yet; `request` must respect it
 */
private[spark] final class PrefetchQueue(capacity: Int) extends BaseSubscriber[Array[Byte]] {

  import PrefetchQueue._

  private val queue = Queues.get[Array[Byte]](capacity).get()

  @volatile private var waiter: Thread = _
  @volatile private var wakeAfter = WakeEvery
  @volatile private var ending: Option[Ending] = None
  private var arrivedSinceWake = 0

  /** Run by the next event, once. */
  private val arrival = new AtomicReference(Option.empty[() => Unit])

  /** Requests nothing before the task does. Reactor's default requests everything. */
  override def hookOnSubscribe(subscription: Subscription): Unit = ()

  override def hookOnNext(event: Array[Byte]): Unit = {
    if (!queue.offer(event)) end(Ending.Failed(new IllegalStateException("more events arrived than were requested")))
    val parked = waiter
    if (parked ne null) {
      arrivedSinceWake += 1
      if (arrivedSinceWake >= wakeAfter) {
        arrivedSinceWake = 0
        LockSupport.unpark(parked)
      }
    }
    if (arrival.get ne None) arrival.getAndSet(None).foreach(_())
  }

  /** Runs this when the next event comes, in the connection's thread. While no task reads. */
  def onArrival(run: () => Unit): Unit = arrival.set(Some(run))

  /** The events that wait. */
  def size: Int = queue.size

  override def hookOnComplete(): Unit = end(Ending.Completed)

  override def hookOnError(error: Throwable): Unit = end(Ending.Failed(error))

  /** The next event, or null when there is none. No Option, because it is called for each event. */
  def poll(): Array[Byte] = queue.poll()

  def isEmpty: Boolean = queue.isEmpty

  /** How the link ended. None until all delivered events are polled. */
  def ended: Option[Ending] = if (queue.isEmpty) ending else None

  /** Whether the link has ended. Events may be left to poll. */
  def hasEnded: Boolean = ending.nonEmpty

  /**
   * Waits until an event may have come, the link has ended, or the time is over. Only the task's thread calls it, when
   * the queue is empty.
   *
   * @param wanted events that the task waits for; fewer than 256 wake it earlier
   */
  def park(nanos: Long, wanted: Long): Unit = {
    wakeAfter = math.max(1L, math.min(WakeEvery.toLong, wanted)).toInt
    waiter = Thread.currentThread
    try
      if (queue.isEmpty && ending.isEmpty) LockSupport.parkNanos(this, math.min(nanos, MaxParkNanos))
    finally waiter = null
  }

  private def end(how: Ending): Unit = {
    ending = Some(how)
    Option(waiter).foreach(LockSupport.unpark)
  }
}

private[spark] object PrefetchQueue {
  private val WakeEvery = 256
  private val MaxParkNanos = 500000L

  sealed trait Ending
  object Ending {

    /** A link whose connection was lost completes without an error. It is not the end of the data. */
    case object Completed extends Ending
    final case class Failed(error: Throwable) extends Ending
  }
}
