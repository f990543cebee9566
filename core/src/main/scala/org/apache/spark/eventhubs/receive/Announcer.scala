package org.apache.spark.eventhubs.receive

import scala.util.control.NonFatal

import org.apache.spark.eventhubs.EventHubName
import org.apache.spark.eventhubs.generation.HubGeneration
import org.apache.spark.internal.Logging

/**
 * What an event has proven: the partition has all numbers before `next` in this generation of the hub.
 *
 * @param epoch of a geo-replicated hub: a promoted region may lack the events
 */
private[spark] final case class Proof(
    hub: EventHubName,
    generation: HubGeneration.CreatedAt,
    partition: Int,
    epoch: Option[Int],
    next: Long
)

/**
 * Tells the driver of events that come over links which no task reads, so that it plans them without asking the
 * service. The events of 10 ms become one message, and later ones of the same silence one each half second. A proof may
 * be lost: then the driver's routine question finds the event.
 *
 * @param send  to the driver
 * @param after runs work after these milliseconds, in one thread
 */
private[spark] final class Announcer(send: Seq[Proof] => Unit, after: (Long, Runnable) => Unit) extends Logging {

  import Announcer._

  private val first = new Round(FirstMillis)
  private val later = new Round(LaterMillis)

  /** Tells what this link has and will get, until it is over. */
  def watch(link: IdleLink): Unit = first.expect(link)

  private final class Round(millis: Long) {
    private var waiting = Set.empty[IdleLink]

    def expect(link: IdleLink): Unit = {
      link.onArrival(() => add(link))
      // It may have come before.
      if (link.hasProof) add(link)
    }

    private def add(link: IdleLink): Unit = {
      val isFirst = synchronized {
        val none = waiting.isEmpty
        waiting += link
        none
      }
      if (isFirst)
        try after(millis, () => tell())
        catch {
          case NonFatal(failed) =>
            synchronized { waiting = Set.empty }
            logWarning("Events are not announced; the driver asks for them", failed)
        }
    }

    private def tell(): Unit = {
      val links = synchronized {
        val all = waiting
        waiting = Set.empty
        all.toSeq
      }
      val proofs = links.flatMap(_.takeProof())
      try if (proofs.nonEmpty) send(proofs)
      finally links.filterNot(_.isOver).foreach(later.expect)
    }
  }
}

private[spark] object Announcer {

  /** So long the events of several partitions have to become one message. */
  private val FirstMillis = 10L
  private val LaterMillis = 500L

  /** Tells nothing. */
  val Silent: Announcer = new Announcer(_ => (), (_, _) => ())
}

/**
 * A link that no task reads. Its events have at least the number `from`, and numbers only grow: so each one that waits
 * proves another number. The driver knows those before `from`.
 *
 * @param givenBack events that wait outside of the queue
 */
private[receive] final class IdleLink(
    hub: EventHubName,
    generation: HubGeneration.CreatedAt,
    partition: Int,
    epoch: Option[Int],
    from: Long,
    givenBack: Int,
    queue: PrefetchQueue
) {
  private var last = from

  /** A task has taken the link, or it is closed. */
  @volatile var isOver = false

  /** @param run called once, by the thread that brings the next event */
  def onArrival(run: () => Unit): Unit = if (!isOver) queue.onArrival(run)

  def hasProof: Boolean = synchronized(!isOver && next > last)

  def takeProof(): Option[Proof] = synchronized {
    val reached = next
    Option.when(!isOver && reached > last) {
      last = reached
      Proof(hub, generation, partition, epoch, reached)
    }
  }

  private def next = from + givenBack + queue.size
}
