package org.apache.spark.eventhubs.options

import org.apache.spark.eventhubs.EventPosition

/** Names of the legacy connector's package object. Code that imports `org.apache.spark.eventhubs._` uses them. */
private[eventhubs] trait LegacyNames {
  type PartitionId = Int
  type Rate = Int
  type Offset = Long
  type SequenceNumber = Long
  type EnqueueTime = Long

  /** Offsets that mean the ends of a partition, for `EventPosition.fromOffset`. */
  val StartOfStream: String = EventPosition.StartOffset
  val EndOfStream: String = EventPosition.EndOffset

  val DefaultConsumerGroup: String = "$Default"

  val PartitionPreferredLocationStrategy: PreferredLocationStrategy.type = PreferredLocationStrategy
}
