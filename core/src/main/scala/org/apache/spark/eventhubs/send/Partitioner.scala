package org.apache.spark.eventhubs.send

import scala.collection.mutable

import org.apache.spark.eventhubs.EventHubsErrors
import org.apache.spark.eventhubs.amqp.OutgoingEvent
import org.apache.spark.eventhubs.connection.ProducerLease
import org.apache.spark.eventhubs.options.WriteDestination
import org.apache.spark.eventhubs.options.WriteDestination.{AnyPartition, ByKey, ToPartition}

/**
 * Where each event goes. A key is hashed here to its partition, so that events of many keys share full batches; sent
 * by key, every key would need a batch of its own.
 */
private[eventhubs] final class Partitioner(lease: ProducerLease, calls: ProducerCalls) {

  /** What the service knows; asked for when the first event names a partition or a key. */
  private var partitions = IndexedSeq.empty[ToPartition]
  private val byId = mutable.HashMap.empty[String, ToPartition]

  def destination(event: OutgoingEvent, partition: Option[String]): WriteDestination =
    if (partition.isEmpty && event.partitionKey.isEmpty) AnyPartition
    else
      (partition, event.partitionKey) match {
        case (Some(id), Some(key)) => throw EventHubsErrors.partitionAndKey(lease.hub, id, key)
        case (Some(id), _) =>
          val known = byId.get(id)
          if (known.isDefined) known.get else unknownYet(id)
        case (_, key) => byKey(key.get)
      }

  private def byKey(key: String): WriteDestination = {
    if (key.length > Partitioner.MaxKeyLength)
      throw EventHubsErrors.partitionKeyTooLong(lease.hub, key, Partitioner.MaxKeyLength)
    if (partitions.isEmpty) ask(refresh = false)
    if (PartitionKeyHash.isKnownFor(key)) partitions(PartitionKeyHash.partitionIndex(key, partitions.length))
    else ByKey(key)
  }

  /** The hub may have grown since it was asked. */
  private def unknownYet(id: String): ToPartition = {
    ask(refresh = false)
    if (!byId.contains(id)) ask(refresh = true)
    byId.getOrElse(id, throw EventHubsErrors.unknownPartition(lease.hub, id, partitions.map(_.id)))
  }

  private def ask(refresh: Boolean): Unit = {
    val ids = calls("asking for its partitions")(_ => lease.partitionIds(refresh))
    // Keys keep the partitions of the first answer: a hub that grows must not move them in the middle of a task.
    if (partitions.isEmpty) partitions = ids.map(ToPartition)
    ids.foreach(id => byId.getOrElseUpdate(id, ToPartition(id)))
  }
}

private[eventhubs] object Partitioner {

  /** Set by the service. */
  private val MaxKeyLength = 128
}
