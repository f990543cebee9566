package org.apache.spark.eventhubs.rdd

import org.apache.spark.eventhubs.client.{CachedEventHubsReceiver, HubConfirmations, HubScope, PartitionBounds}

/** Whether the hub that a task reads is still the one that its range was planned for. */
private[eventhubs] object HubChange {

  /** What is different, when it is another one; asks the service. */
  def since(receiver: CachedEventHubsReceiver): Option[String] = receiver.key.scope match {
    case HubScope.CreatedAt(planned) =>
      Option(receiver.hubCreatedAt()).filter(_ != planned).map { found =>
        s"what is to be read are events of the hub created at $planned, this one was created at $found"
      }
    case HubScope.Any(_) => None
  }

  /** The same for the hub that the receiver's event is of; asks the service where `confirmations` do not tell. */
  def byEvent(receiver: CachedEventHubsReceiver, confirmations: HubConfirmations): Option[String] =
    byTime(receiver, receiver.event.enqueuedMillis, confirmations)

  /** The same for the hub that has just answered that the receiver's partition holds this. */
  def byBounds(
      receiver: CachedEventHubsReceiver,
      bounds: PartitionBounds,
      confirmations: HubConfirmations
  ): Option[String] =
    if (bounds.isEmpty) since(receiver) else byTime(receiver, bounds.lastEnqueuedTime.toEpochMilli, confirmations)

  private def byTime(
      receiver: CachedEventHubsReceiver,
      enqueuedMillis: Long,
      confirmations: HubConfirmations
  ): Option[String] = receiver.key.scope match {
    case HubScope.CreatedAt(planned) =>
      val connection = receiver.key.connection
      if (confirmations.cover(connection, planned, enqueuedMillis)) None
      else {
        val change = since(receiver)
        if (change.isEmpty) confirmations.confirm(connection, planned, enqueuedMillis)
        change
      }
    case HubScope.Any(_) => None
  }
}
