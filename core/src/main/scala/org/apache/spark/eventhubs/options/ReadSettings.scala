package org.apache.spark.eventhubs.options

import java.time.Duration

import org.apache.spark.eventhubs.EventPosition

/**
 * The options of one reading query, parsed and checked.
 *
 * @param startingPositions   per partition id, before the default `startingPosition`
 * @param endingPositions     per partition id, before the default `endingPosition`; used by batch reads
 * @param partitions          ids to read; None reads all, also those added later
 * @param maxEventsPerTrigger over all partitions; None is unlimited
 * @param prefetchCount       events of AMQP credit per link; None lets it follow the learned event size
 * @param receiverBufferBytes bytes that one link may hold prefetched, when `prefetchCount` is not set
 * @param receiverTimeout     how long a receiver may be silent, though events are known to be there, before it is reopened
 * @param ownerLevel          epoch of an exclusive reader; None reads without one
 * @param maxConnections      AMQP connections for receivers per executor and identity; None is twice its cores
 */
final case class ReadSettings(
    connection: ConnectionSettings,
    consumerGroup: String,
    startingPosition: EventPosition,
    startingPositions: Map[Int, EventPosition],
    endingPosition: EventPosition,
    endingPositions: Map[Int, EventPosition],
    partitions: Option[Set[Int]],
    maxEventsPerTrigger: Option[Long],
    failOnDataLoss: Boolean,
    prefetchCount: Option[Int],
    receiverBufferBytes: Long,
    receiverTimeout: Duration,
    receiverIdleTimeout: Duration,
    ownerLevel: Option[Long],
    maxConnections: Option[Int],
    minPartitions: Option[Int],
    maxEventsPerTask: Option[Long],
    preferredLocations: PreferredLocationStrategy
)

sealed trait PreferredLocationStrategy
object PreferredLocationStrategy {
  case object Hash extends PreferredLocationStrategy
  case object BalancedHash extends PreferredLocationStrategy
}
