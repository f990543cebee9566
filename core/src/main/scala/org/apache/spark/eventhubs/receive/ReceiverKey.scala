package org.apache.spark.eventhubs.receive

import org.apache.spark.eventhubs.EventHubName
import org.apache.spark.eventhubs.generation.HubGeneration
import org.apache.spark.eventhubs.options.{ConnectionSettings, ReadSettings}

/** Which partition is read as what; with the sequence number it finds a link to go on with. */
final case class ReceiverKey(
    connection: ConnectionSettings,
    consumerGroup: String,
    partitionId: Int,
    ownerLevel: Option[Long],
    generation: HubGeneration
) {

  def hub: EventHubName = connection.hub

  def doing: String = s"reading partition $partitionId for consumer group $consumerGroup"

  override def toString: String = s"partition $partitionId of $hub for consumer group $consumerGroup"
}

object ReceiverKey {

  def of(settings: ReadSettings, partitionId: Int, generation: HubGeneration): ReceiverKey =
    ReceiverKey(settings.connection, settings.consumerGroup, partitionId, settings.ownerLevel, generation)
}
