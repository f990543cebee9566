package org.apache.spark.sql.eventhubs.source

import scala.collection.concurrent.TrieMap
import scala.util.control.NonFatal

import org.apache.spark.eventhubs.blob.BlobStore
import org.apache.spark.eventhubs.checkpoints.{Checkpoint, CheckpointNames, CheckpointPublisher}
import org.apache.spark.eventhubs.connection.PartitionBounds
import org.apache.spark.eventhubs.options.ReadSettings
import org.apache.spark.eventhubs.rdd.RecentEvents
import org.apache.spark.eventhubs.{EventHubName, NameAndPartition}
import org.apache.spark.internal.Logging
import org.apache.spark.sql.eventhubs.EventHubsSourceOffset

/** Publishes how far a stream has read in the checkpoint store of the Event Hubs SDKs. It never fails the query. */
private[eventhubs] final class StorePublication(
    namespace: String,
    consumerGroup: String,
    publisher: CheckpointPublisher,
    partitionOf: TrieMap[String, NameAndPartition]
) extends AutoCloseable
    with Logging {

  /**
   * @param recent the last events that tasks have read
   * @param bounds what the partitions retain, as far as the service was asked anyway
   */
  def committed(
      end: EventHubsSourceOffset,
      recent: RecentEvents,
      bounds: => Map[NameAndPartition, PartitionBounds]
  ): Unit =
    try {
      lazy val retained = bounds
      val checkpoints = for {
        (hub, ends) <- end.sequenceNumbers
        names = new CheckpointNames(EventHubName(namespace, hub), consumerGroup)
        (partition, untilSeqNo) <- ends
        checkpoint <- StorePublication.checkpoint(
          NameAndPartition(hub, partition),
          untilSeqNo,
          recent,
          retained.get(NameAndPartition(hub, partition))
        )
        blob = names.ofPartition(partition)
      } yield {
        partitionOf.update(blob, NameAndPartition(hub, partition))
        blob -> checkpoint
      }
      publisher.offer(checkpoints.toMap)
    } catch { case NonFatal(failed) => logWarning(s"No checkpoint is published for this batch: $failed") }

  def metrics: Map[String, String] = Map(
    "checkpointStoreSecondsBehind" -> (publisher.ageMillis / 1000.0).toString,
    "checkpointStoreFailures" -> publisher.failures.toString
  )

  override def close(): Unit = publisher.close()
}

private[eventhubs] object StorePublication {

  /**
   * None without a store, and for a query that only starts from it. Called by the query's thread: Spark does not stop a
   * source when it cannot create another one of the same query, so it ends with that thread.
   *
   * @param mayPublish whether the query may publish a partition's checkpoint at a sequence number; any thread calls it
   */
  def open(settings: ReadSettings, mayPublish: (NameAndPartition, Long) => Boolean): Option[StorePublication] =
    settings.checkpointStore.filter(_.publishes).map { configured =>
      val partitionOf = TrieMap.empty[String, NameAndPartition]
      val query = Thread.currentThread
      val publisher = new CheckpointPublisher(
        BlobStore.open(configured, settings.connection),
        configured.interval,
        (blob, checkpoint) => partitionOf.get(blob).forall(mayPublish(_, checkpoint.seqNo)),
        () => query.isAlive
      )
      new StorePublication(settings.connection.hub.namespace, settings.consumerGroup, publisher, partitionOf)
    }

  /**
   * The checkpoint of a partition whose events before `untilSeqNo` are committed: its last event with its offset. After
   * a restart the offset is not known until a task reads an event, unless that event is the partition's last one. It is
   * an earlier event where the last ones of a range do not exist. None while it is not known, and when nothing is read.
   */
  def checkpoint(
      partition: NameAndPartition,
      untilSeqNo: Long,
      recent: RecentEvents,
      bounds: Option[PartitionBounds]
  ): Option[Checkpoint] = {
    val read = recent.lastBefore(partition, untilSeqNo).map(event => Checkpoint(event.seqNo, event.offset))
    // With epochs the hub is geo-replicated, and then the service refuses the offset of its own answer as a start.
    val last =
      bounds.filter(now => now.latest == untilSeqNo && !now.isEmpty && now.lastOffset.nonEmpty && now.announced == 0)
        .filter(_.epoch.isEmpty)
        .map(now => Checkpoint(untilSeqNo - 1, now.lastOffset))
    if (read.exists(_.seqNo == untilSeqNo - 1)) read else last.orElse(read)
  }
}
