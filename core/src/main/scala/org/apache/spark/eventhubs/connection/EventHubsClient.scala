package org.apache.spark.eventhubs.connection

import java.time.{Duration, Instant}

import com.azure.messaging.eventhubs.ReceiveWindow
import reactor.core.CoreSubscriber

import org.apache.spark.eventhubs.EventPosition
import org.apache.spark.eventhubs.amqp.ReplicatedOffset
import org.apache.spark.eventhubs.generation.HubGeneration

/**
 * One AMQP connection to one event hub under one identity. It opens on first use and reopens after a drop. Safe for use
 * by many threads. Calls throw EventHubsException. The operation timeout of its settings limits each question to the
 * service, so a call about many partitions may take longer.
 */
private[spark] trait EventHubsClient extends AutoCloseable {

  def hubProperties(): HubProperties

  /**
   * Returns the hub's properties to a caller that may stop waiting for them.
   *
   * @param abandoned checked often while the question waits
   * @throws AbandonedQuestionException when `abandoned` is true before the answer
   */
  def hubProperties(abandoned: () => Boolean): HubProperties = {
    EventHubsClient.requireWanted(abandoned)
    hubProperties()
  }

  /** Retained range of each of these partitions, requested concurrently. */
  def partitionBounds(partitionIds: Seq[Int]): Map[Int, PartitionBounds]

  /** Returns the ranges to a caller that may stop waiting for them, as in [[hubProperties]]. */
  def partitionBounds(partitionIds: Seq[Int], abandoned: () => Boolean): Map[Int, PartitionBounds] = {
    EventHubsClient.requireWanted(abandoned)
    partitionBounds(partitionIds)
  }

  /** The hub's properties and the retained ranges, requested at the same time. */
  def hubState(partitionIds: Seq[Int]): (HubProperties, Map[Int, PartitionBounds]) =
    (hubProperties(), partitionBounds(partitionIds))

  /** Returns both to a caller that may stop waiting for them, as in [[hubProperties]]. */
  def hubState(partitionIds: Seq[Int], abandoned: () => Boolean): (HubProperties, Map[Int, PartitionBounds]) = {
    EventHubsClient.requireWanted(abandoned)
    hubState(partitionIds)
  }

  /**
   * Returns both to a caller that is in no hurry, so that other questions go first. Partitions that do not answer are
   * left out, unless none answers.
   */
  def routineState(partitionIds: Seq[Int], abandoned: () => Boolean): (HubProperties, Map[Int, PartitionBounds]) =
    hubState(partitionIds, abandoned)

  /** The hub's partitions by its last answer; empty before one. They may have changed since. */
  def knownPartitions: Seq[Int] = Nil

  /**
   * The sequence number of the first event at `position`, found by receiving it.
   *
   * @param whenEmpty the result when the service says that it has no such event; without it the service is not asked
   * @return None when no event arrives within `timeout`
   */
  def firstSequenceNumber(
      consumerGroup: String,
      partitionId: Int,
      position: EventPosition,
      ownerLevel: Option[Long],
      timeout: Duration,
      whenEmpty: Option[Long]
  ): Option[Long]

  /**
   * The epoch of the first event at or after a sequence number, found by receiving it; negative unless the hub is
   * geo-replicated.
   *
   * @param whenEmpty the result when the service says that it has no such event; without it the service is not asked
   * @return None when no event arrives within `timeout`
   */
  def epochAt(
      consumerGroup: String,
      partitionId: Int,
      seqNo: Long,
      ownerLevel: Option[Long],
      timeout: Duration,
      whenEmpty: Option[Int]
  ): Option[Int]

  /**
   * Opens a link and closes it again, without reading: only a link shows that the consumer group exists and that the
   * credential may read. Also returns if the service neither admits nor refuses the link within `timeout`, and if the
   * partition has all the receivers that it allows.
   */
  def checkReading(consumerGroup: String, partitionId: Int, ownerLevel: Option[Long], timeout: Duration): Unit

  /**
   * Opens a link that delivers encoded messages. `reader` requests its credit; cancelling closes it. What the reader
   * takes is to be reported to the link's window.
   */
  def subscribe(link: ReceiveLink, reader: CoreSubscriber[Array[Byte]]): Unit
}

private[connection] object EventHubsClient {
  def requireWanted(abandoned: () => Boolean): Unit =
    if (abandoned()) throw new AbandonedQuestionException("before it was asked")
}

/** The caller no longer needs the answer to a question. */
private[spark] final class AbandonedQuestionException(doing: String) extends RuntimeException(s"abandoned $doing")

/**
 * @param partitionIds ascending
 */
private[spark] final case class HubProperties(name: String, generation: HubGeneration.CreatedAt, partitionIds: Seq[Int])

/**
 * The retained range of a partition.
 *
 * @param earliest         sequence number of the first retained event; equals `latest` in an empty partition
 * @param latest           sequence number of the next event to arrive
 * @param lastOffset       as issued by the service; empty text or "-1" when the partition never had an event
 * @param lastEnqueuedTime of the last event that arrived
 * @param epoch            of the last event, in a geo-replicated hub: each promotion of a secondary region raises it
 * @param announced        how many of the numbers before `latest` came after the service's answer. Offset, time and
 *                         epoch are those of the event before them
 */
private[spark] final case class PartitionBounds(
    earliest: Long,
    latest: Long,
    lastOffset: String,
    lastEnqueuedTime: Instant,
    epoch: Option[Int] = None,
    announced: Long = 0
) {
  def isEmpty: Boolean = earliest >= latest

  /** What the service has answered, without later events. */
  def answered: PartitionBounds = if (announced == 0) this else copy(latest = latest - announced, announced = 0)

  /** With the later events before this number, if there are any. */
  def upTo(next: Long): PartitionBounds =
    if (next > latest) copy(latest = next, announced = announced + next - latest) else this

  /**
   * The epoch of an event, if the partition's last event has a later one: a secondary region was promoted since. Only
   * offsets are compared, because answers may count epochs differently.
   *
   * @param offset of the event, where it is known
   */
  def earlierEpoch(offset: Option[String]): Option[Int] = for {
    known <- offset.flatMap(ReplicatedOffset.epoch)
    last <- ReplicatedOffset.epoch(lastOffset)
    if known < last
  } yield known
}

/**
 * A link to open.
 *
 * @param fromSeqNo  first event to receive, inclusive
 * @param ownerLevel epoch of an exclusive reader; None for a shared one
 * @param window     bounds the bytes that wait for the reader; each link needs its own
 * @param drain      asks over the link whether it has got all events; for this link only
 */
private[spark] final case class ReceiveLink(
    consumerGroup: String,
    partitionId: Int,
    fromSeqNo: Long,
    ownerLevel: Option[Long],
    window: ReceiveLink.Window = ReceiveLink.window(ReceiveLink.DefaultBufferBytes),
    drain: Option[LinkDrain] = None
)

private[spark] object ReceiveLink {

  type Window = ReceiveWindow

  /**
   * A window for a link whose credit keeps about `bufferBytes` waiting while the size of the events stays the same. It
   * has room for as much again, in frames that are on their way. So its bytes run out only when events become larger. A
   * link with small events gets at most as many of them in a round trip as the window has frames: 2,730 with 16 MiB.
   */
  def window(bufferBytes: Long): Window =
    new ReceiveWindow(Math.toIntExact(bufferBytes + math.max(bufferBytes, MinFramesBytes)))

  /** It is enough for readers of a few events. */
  private[connection] val DefaultBufferBytes = 1L << 20

  private val MinFramesBytes = 1L << 20
}
