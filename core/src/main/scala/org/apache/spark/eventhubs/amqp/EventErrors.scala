package org.apache.spark.eventhubs.amqp

import org.apache.spark.eventhubs.EventHubsErrors.where
import org.apache.spark.eventhubs.{ErrorCondition, EventHubName, EventHubsException}

/** Errors of events that cannot be sent, one factory per problem. */
private[spark] object EventErrors {

  def eventTooLarge(hub: EventHubName, place: String, bytes: Long, limit: Int): EventHubsException =
    new EventHubsException(
      ErrorCondition.EventTooLarge,
      where(hub) ++ Map("place" -> place, "bytes" -> bytes.toString, "limit" -> limit.toString)
    )

  def partitionAndKey(hub: EventHubName, partition: String, key: String): EventHubsException = invalidEvent(
    hub,
    s"Both a partitionKey ($key) and partition ($partition) have been detected. Both can not be set.",
    "Set one of the two columns to null or drop it. The options 'eventhubs.partitionId' and " +
      "'eventhubs.partitionKey' override both columns."
  )

  def partitionKeyTooLong(hub: EventHubName, key: String, limit: Int): EventHubsException = invalidEvent(
    hub,
    s"The partition key '${key.take(40)}...' has ${key.length} characters; the service accepts at most $limit.",
    "Hash or shorten the key."
  )

  def unknownPartition(hub: EventHubName, id: String, known: Seq[String]): EventHubsException =
    invalidEvent(hub, s"The event hub has no partition '$id'.", s"Use one of its partitions: ${known.mkString(", ")}.")

  def invalidEvent(hub: EventHubName, problem: String, nextStep: String): EventHubsException = new EventHubsException(
    ErrorCondition.InvalidEvent,
    where(hub) ++ Map("problem" -> problem, "nextStep" -> nextStep)
  )
}
