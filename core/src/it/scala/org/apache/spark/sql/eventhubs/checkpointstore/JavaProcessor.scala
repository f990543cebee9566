package org.apache.spark.sql.eventhubs.checkpointstore

import java.time.Duration
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.function.{Consumer, Function => JavaFunction}

import scala.jdk.CollectionConverters._

import com.azure.core.http.HttpClient
import com.azure.messaging.eventhubs.checkpointstore.blob.BlobCheckpointStore
import com.azure.messaging.eventhubs.models.{ErrorContext, EventContext, EventPosition}
import com.azure.messaging.eventhubs.{EventProcessorClient, EventProcessorClientBuilder, LoadBalancingStrategy}
import com.azure.storage.blob.BlobContainerClientBuilder

import org.apache.spark.sql.eventhubs.source.Seen

/**
 * The official event processor for Java. It calls `processed` and writes a checkpoint after each event. It calls
 * `failed` with each of its errors.
 */
final class JavaProcessor(
    hubConnectionString: String,
    storageConnectionString: String,
    container: String,
    processed: Seen => Unit = _ => (),
    failed: String => Unit = _ => ()
) {

  private val seen = new ConcurrentLinkedQueue[Seen]
  private val failures = new ConcurrentLinkedQueue[String]

  private val store = new BlobContainerClientBuilder()
    .connectionString(storageConnectionString)
    .containerName(container)
    .httpClient(HttpClient.createDefault())
    .buildAsyncClient()

  private val process: Consumer[EventContext] = event => {
    val partition = event.getPartitionContext.getPartitionId.toInt
    val read = Seen(partition, event.getEventData.getSequenceNumber, event.getEventData.getBodyAsString)
    seen.add(read)
    processed(read)
    event.updateCheckpoint()
  }
  private val fail: Consumer[ErrorContext] = error => {
    val failure = error.getThrowable.toString
    failures.add(failure)
    failed(failure)
  }
  private val fromEarliest: JavaFunction[String, EventPosition] = _ => EventPosition.earliest()

  private val client: EventProcessorClient = new EventProcessorClientBuilder()
    .connectionString(hubConnectionString)
    .consumerGroup("$Default")
    .checkpointStore(new BlobCheckpointStore(store))
    .processEvent(process)
    .processError(fail)
    .initialPartitionEventPosition(fromEarliest)
    .loadBalancingStrategy(LoadBalancingStrategy.GREEDY)
    .loadBalancingUpdateInterval(Duration.ofSeconds(1))
    .partitionOwnershipExpirationInterval(Duration.ofSeconds(4))
    .buildEventProcessorClient()

  def read: Seq[Seen] = seen.asScala.toSeq

  def errors: Seq[String] = failures.asScala.toSeq

  def start(): Unit = client.start()

  /** Releases its partitions. */
  def stop(): Unit = client.stop()
}
