package org.apache.spark.eventhubs.connection

import java.time.{Duration, Instant}

import reactor.core.CoreSubscriber

import org.apache.spark.eventhubs.EventPosition
import org.apache.spark.eventhubs.generation.HubGeneration

/**
 * One AMQP connection to one event hub under one identity. It opens itself when first used and again after a drop.
 * Safe for use by many threads; calls block for at most the operation timeout of its settings and throw
 * EventHubsException.
 */
trait EventHubsClient extends AutoCloseable {

  def hubProperties(): HubProperties

  /** Retained range of each of these partitions, asked for concurrently. */
  def partitionBounds(partitionIds: Seq[Int]): Map[Int, PartitionBounds]

  /** Both, asked for at the same time. */
  def hubState(partitionIds: Seq[Int]): (HubProperties, Map[Int, PartitionBounds]) =
    (hubProperties(), partitionBounds(partitionIds))

  /**
   * The sequence number of the first event at `position`, found by receiving it.
   *
   * @return None when no event arrives within `timeout`
   */
  def firstSequenceNumber(
      consumerGroup: String,
      partitionId: Int,
      position: EventPosition,
      ownerLevel: Option[Long],
      timeout: Duration
  ): Option[Long]

  /**
   * Opens a link and closes it again, without reading: only so are a consumer group and the right to listen found out.
   * Returns also when the service has neither let the link in nor refused it within `timeout`, and when the partition has
   * all the receivers that it can have.
   */
  def checkReading(consumerGroup: String, partitionId: Int, ownerLevel: Option[Long], timeout: Duration): Unit

  /** Opens a link that delivers encoded messages. Its credit is what `reader` requests; cancelling closes it. */
  def subscribe(link: ReceiveLink, reader: CoreSubscriber[Array[Byte]]): Unit
}

/**
 * @param partitionIds ascending
 */
final case class HubProperties(name: String, generation: HubGeneration.CreatedAt, partitionIds: Seq[Int])

/**
 * What a partition retains.
 *
 * @param earliest         sequence number of the first event that can be read, or would be were there one
 * @param latest           sequence number that the next event to arrive will have
 * @param lastOffset       as issued by the service; empty text or "-1" when the partition never had an event
 * @param lastEnqueuedTime of the last event that arrived
 */
final case class PartitionBounds(earliest: Long, latest: Long, lastOffset: String, lastEnqueuedTime: Instant) {
  def isEmpty: Boolean = earliest >= latest
}

/**
 * A link to open.
 *
 * @param fromSeqNo  first event to receive, inclusive
 * @param ownerLevel epoch of an exclusive reader; None for a shared one
 */
final case class ReceiveLink(
    consumerGroup: String,
    partitionId: Int,
    fromSeqNo: Long,
    ownerLevel: Option[Long]
)
