package org.apache.spark.eventhubs.generation

import org.apache.spark.eventhubs.connection.PartitionBounds
import org.apache.spark.eventhubs.receive.CachedEventHubsReceiver


/** Whether the hub that a task reads is still the one that its range was planned for. */
private[eventhubs] object HubGenerationCheck {

  /** What is different, when it is another one; asks the service. */
  def since(receiver: CachedEventHubsReceiver): Option[String] = receiver.key.scope match {
    case HubGeneration.CreatedAt(planned) =>
      Option(receiver.hubCreatedAt()).filter(_ != planned).map { found =>
        s"what is to be read are events of the hub created at $planned, this one was created at $found"
      }
    case HubGeneration.Any(_) => None
  }

  /** The same for the hub that the receiver's event is of; asks the service where `confirmations` do not tell. */
  def byEvent(receiver: CachedEventHubsReceiver, confirmations: VerifiedGenerations): Option[String] =
    byTime(receiver, receiver.event.enqueuedMillis, confirmations)

  /** The same for the hub that has just answered that the receiver's partition holds this. */
  def byBounds(
      receiver: CachedEventHubsReceiver,
      bounds: PartitionBounds,
      confirmations: VerifiedGenerations
  ): Option[String] =
    if (bounds.isEmpty) since(receiver) else byTime(receiver, bounds.lastEnqueuedTime.toEpochMilli, confirmations)

  private def byTime(
      receiver: CachedEventHubsReceiver,
      enqueuedMillis: Long,
      confirmations: VerifiedGenerations
  ): Option[String] = receiver.key.scope match {
    case HubGeneration.CreatedAt(planned) =>
      val connection = receiver.key.connection
      if (confirmations.cover(connection, planned, enqueuedMillis)) None
      else {
        val change = since(receiver)
        if (change.isEmpty) confirmations.confirm(connection, planned, enqueuedMillis)
        change
      }
    case HubGeneration.Any(_) => None
  }
}
