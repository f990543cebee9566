package org.apache.spark.eventhubs.send

import java.util.concurrent.ThreadLocalRandom

import scala.collection.mutable

import org.apache.spark.eventhubs.amqp.{EventErrors, OutgoingEvent}
import org.apache.spark.eventhubs.connection.ProducerLease
import org.apache.spark.eventhubs.options.WriteDestination
import org.apache.spark.eventhubs.options.WriteDestination.{AnyPartition, ByKey, ToPartition}

/**
 * Decides the destination of each event. It hashes a key to its partition, so that events of many keys share full
 * batches; sent by key, every key would need its own batch.
 *
 * @param spreads whether batches without a partition or key go to the partitions in turn, because idempotent producers
 *                need a partition. Otherwise the service chooses one
 */
private[eventhubs] final class Partitioner(lease: ProducerLease, calls: ProducerCalls, spreads: () => Boolean) {

  /** The hub's partitions; requested when the first event names a partition or a key. */
  private var partitions = IndexedSeq.empty[ToPartition]
  private val byId = mutable.HashMap.empty[String, ToPartition]

  /** Where events without a partition or key go now. */
  private var turn = Option.empty[ToPartition]

  def destination(event: OutgoingEvent, partition: Option[String]): WriteDestination =
    if (partition.isEmpty && event.partitionKey.isEmpty) anyPartition()
    else
      (partition, event.partitionKey) match {
        case (Some(id), Some(key)) => throw EventErrors.partitionAndKey(lease.hub, id, key)
        case (Some(id), _) =>
          val known = byId.get(id)
          if (known.isDefined) known.get else lookUp(id)
        case (_, key) => byKey(key.get)
      }

  /** A batch to this destination is full: events without a partition or key go to the next partition. */
  def batchEnded(destination: WriteDestination): Unit =
    turn = turn.flatMap { current =>
      if (current != destination) Some(current)
      else if (!spreads()) None
      else Some(partitions((partitions.indexOf(current) + 1) % partitions.length))
    }

  private def anyPartition(): WriteDestination =
    if (turn.isDefined) turn.get
    else if (!spreads()) AnyPartition
    else {
      if (partitions.isEmpty) load(refresh = false)
      turn = Some(partitions(ThreadLocalRandom.current().nextInt(partitions.length)))
      turn.get
    }

  private def byKey(key: String): WriteDestination = {
    if (key.length > Partitioner.MaxKeyLength)
      throw EventErrors.partitionKeyTooLong(lease.hub, key, Partitioner.MaxKeyLength)
    if (partitions.isEmpty) load(refresh = false)
    if (PartitionKeyHash.isKnownFor(key)) partitions(PartitionKeyHash.partitionIndex(key, partitions.length))
    else ByKey(key)
  }

  /** The hub may have got more partitions since the last request. */
  private def lookUp(id: String): ToPartition = {
    load(refresh = false)
    if (!byId.contains(id)) load(refresh = true)
    byId.getOrElse(id, throw EventErrors.unknownPartition(lease.hub, id, partitions.map(_.id)))
  }

  private def load(refresh: Boolean): Unit = {
    val ids = calls("asking for its partitions")(_ => lease.partitionIds(refresh))
    // Keys keep the partitions of the first request: a hub that grows must not move them within a task.
    if (partitions.isEmpty) partitions = ids.map(ToPartition)
    ids.foreach(id => byId.getOrElseUpdate(id, ToPartition(id)))
  }
}

private[eventhubs] object Partitioner {

  /** Set by the service. */
  private val MaxKeyLength = 128
}
