package org.apache.spark.eventhubs.options

import java.time.Duration

import org.apache.spark.eventhubs.{EventHubsErrors, EventPosition, PartitionPositions}
import org.apache.spark.internal.Logging

/**
 * The options of one reading query, parsed and checked.
 *
 * @param startingPositions   per partition id, before the default `startingPosition`
 * @param endingPositions     per partition id, before the default `endingPosition`; used by batch reads
 * @param partitions          ids to read; None reads all, also those added later
 * @param maxEventsPerTrigger over all partitions; None is unlimited
 * @param maxBytesPerTrigger  of the bodies, over all partitions
 * @param minEventsPerTrigger a smaller backlog waits, for at most `maxTriggerDelay` after the last batch
 * @param prefetchCount       events of AMQP credit per link; None lets it follow the learned event size
 * @param receiverBufferBytes bytes that one link may hold prefetched, when `prefetchCount` is not set
 * @param receiverTimeout     how long a receiver may be silent, though events are known to be there, before it is reopened
 * @param ownerLevel          epoch of an exclusive reader; None reads without one
 * @param replayCacheBytes    heap that an executor may use to keep ranges for a second pass; 0 keeps none
 * @param maxPartitions       tasks of a batch at most, where hub partitions share them; None is a task for each range
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
    maxBytesPerTrigger: Option[Long],
    minEventsPerTrigger: Option[Long],
    maxTriggerDelay: Duration,
    failOnDataLoss: Boolean,
    prefetchCount: Option[Int],
    receiverBufferBytes: Long,
    receiverTimeout: Duration,
    receiverIdleTimeout: Duration,
    ownerLevel: Option[Long],
    maxConnections: Option[Int],
    minPartitions: Option[Int],
    maxEventsPerTask: Option[Long],
    maxPartitions: Option[Int],
    preferredLocations: PreferredLocationStrategy,
    replayCacheBytes: Long
)

object ReadSettings extends Logging {
  import ReadOptions._

  /**
   * @param options as Spark hands them over, keys in any case
   * @throws EventHubsException when an option is unknown, wrong, missing or contradicts another
   */
  private[spark] def parse(options: Map[String, String], mode: ReadMode): ReadSettings = {
    val checked = OptionsCheck(options)
    (checked.warnings ++ unused(checked, mode)).foreach(warning => logWarning(warning))
    val connection = ConnectionSettings.parse(checked)
    val timeouts = Timeouts(checked, Some(connection.operationTimeout))
    def positions(option: EventHubsOption[PartitionPositions]): Map[Int, EventPosition] =
      checked.get(option).fold(Map.empty[Int, EventPosition]) { entries =>
        entries.of(connection.hub.name).fold(expected => throw checked.invalid(option, expected), identity)
      }
    ReadSettings(
      connection = connection.copy(operationTimeout = timeouts.operation),
      consumerGroup = checked(ConsumerGroup),
      startingPosition = checked.get(StartingPosition).getOrElse(mode.defaultStart),
      startingPositions = positions(StartingPositions),
      endingPosition = checked(EndingPosition),
      endingPositions = positions(EndingPositions),
      partitions = checked.get(Partitions),
      maxEventsPerTrigger = checked.get(MaxEventsPerTrigger),
      maxBytesPerTrigger = checked.get(MaxBytesPerTrigger),
      minEventsPerTrigger = minEvents(checked),
      maxTriggerDelay = checked(MaxTriggerDelay),
      failOnDataLoss = checked(FailOnDataLoss),
      prefetchCount = checked.get(PrefetchCount),
      receiverBufferBytes = checked(ReceiverBufferBytes),
      receiverTimeout = timeouts.receiver,
      receiverIdleTimeout = checked(ReceiverIdleTimeout),
      ownerLevel = ownerLevel(checked),
      maxConnections = checked.get(MaxConnections),
      minPartitions = checked.get(MinPartitions),
      maxEventsPerTask = checked.get(MaxEventsPerTask),
      maxPartitions = maxPartitions(checked),
      preferredLocations = checked(PreferredLocations),
      replayCacheBytes = checked(ReplayCacheBytes)
    )
  }

  private def minEvents(options: ParsedOptions): Option[Long] = {
    val least = options.get(MinEventsPerTrigger)
    for (min <- least; max <- options.get(MaxEventsPerTrigger) if min > max)
      throw EventHubsErrors.conflictingOptions(
        s"'${MinEventsPerTrigger.key}' is $min and '${MaxEventsPerTrigger.key}' is $max, which is less",
        "Raise the maximum or lower the minimum."
      )
    least
  }

  private def maxPartitions(options: ParsedOptions): Option[Int] = {
    val most = options.get(MaxPartitions)
    for (_ <- most; other <- Seq(MinPartitions, MaxEventsPerTask).find(options.get(_).nonEmpty))
      throw EventHubsErrors.conflictingOptions(
        s"'${MaxPartitions.key}' lets hub partitions share tasks, and '${other.key}' divides them among more",
        "Set one of them."
      )
    most
  }

  private def ownerLevel(options: ParsedOptions): Option[Long] = {
    val level = exclusive(options)
    for (_ <- level; dividing <- Seq(MinPartitions, MaxEventsPerTask).find(options.get(_).nonEmpty)) {
      val key = if (options.isSet(OwnerLevel)) OwnerLevel.key else UseExclusiveReceiver.key
      throw EventHubsErrors.conflictingOptions(
        s"'$key' lets one receiver at a time read a partition, and '${dividing.key}' divides it among several",
        "Set one of them."
      )
    }
    level
  }

  private def exclusive(options: ParsedOptions): Option[Long] =
    (options.get(UseExclusiveReceiver), options.get(OwnerLevel)) match {
      case (Some(false), Some(level)) =>
        throw EventHubsErrors.conflictingOptions(
          s"'${OwnerLevel.key}' is $level and '${UseExclusiveReceiver.key}' is 'false'",
          "Only exclusive receivers have a level: remove one of the two."
        )
      case (Some(true), None) => Some(0L)
      case (_, level) => level
    }

  private def unused(options: ParsedOptions, mode: ReadMode): Seq[String] = mode match {
    case ReadMode.Batch =>
      Seq(MaxEventsPerTrigger, MaxBytesPerTrigger, MinEventsPerTrigger, MaxTriggerDelay).filter(options.isSet).map {
        option => s"'${option.key}' is for streams and does nothing in a batch read"
      }
    case ReadMode.Stream =>
      Seq(EndingPosition, EndingPositions).filter(options.isSet).map { option =>
        s"'${option.key}' is for batch reads and does nothing in a stream; Trigger.AvailableNow makes a stream end"
      }
  }
}

/** What the options are read for. They differ in where reading starts when the user does not say. */
sealed abstract class ReadMode(private[spark] val defaultStart: EventPosition)
object ReadMode {
  case object Stream extends ReadMode(EventPosition.EndOfStream)

  /** The legacy connector started at the end here too, so that a batch read without options was always empty. */
  case object Batch extends ReadMode(EventPosition.StartOfStream)
}

sealed trait PreferredLocationStrategy
object PreferredLocationStrategy {
  case object Hash extends PreferredLocationStrategy
  case object BalancedHash extends PreferredLocationStrategy
  case object Stable extends PreferredLocationStrategy
}
