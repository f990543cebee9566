package org.apache.spark.eventhubs.receive

import org.apache.spark.eventhubs.EventHubName
import org.apache.spark.eventhubs.connection.ClientConnectionPool
import org.apache.spark.eventhubs.generation.HubGeneration
import org.apache.spark.eventhubs.options.{ConnectionSettings, OwnershipMode, ReadSettings}

/**
 * What a receiver reads, and with which credential. With a sequence number it identifies a link to continue with.
 *
 * @param isOwned whether the query owns the partition in a checkpoint store, so that a stolen link is a lost ownership
 * @param provider the user's class of the credential
 */
private[eventhubs] final case class ReceiverKey(
    connection: ConnectionSettings,
    consumerGroup: String,
    partitionId: Int,
    ownerLevel: Option[Long],
    generation: HubGeneration,
    isOwned: Boolean = false,
    provider: Option[Class[_]] = None
) {

  def hub: EventHubName = connection.hub

  def doing: String = s"reading partition $partitionId for consumer group $consumerGroup"

  override def toString: String = s"partition $partitionId of $hub for consumer group $consumerGroup"
}

private[eventhubs] object ReceiverKey {

  def of(settings: ReadSettings, partitionId: Int, generation: HubGeneration): ReceiverKey =
    ReceiverKey(
      settings.connection,
      settings.consumerGroup,
      partitionId,
      settings.ownerLevel,
      generation,
      settings.ownership != OwnershipMode.Off,
      ClientConnectionPool.providerOf(settings.connection)
    )
}
