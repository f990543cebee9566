package org.apache.spark.eventhubs

/**
 * A partition of an event hub, as in the keys of `eventhubs.startingPositions` and in checkpoints.
 *
 * @param ehName      the event hub's name
 * @param partitionId from 0 until the hub's partition count
 */
final case class NameAndPartition(ehName: String, partitionId: Int) {

  /** JSON, as in the options and in the legacy connector. */
  override def toString: String = s"""{"ehName":${Json.mapper.writeValueAsString(ehName)},"partitionId":$partitionId}"""
}
