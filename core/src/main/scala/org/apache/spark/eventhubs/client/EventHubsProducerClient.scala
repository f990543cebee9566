package org.apache.spark.eventhubs.client

import java.time.Duration
import java.util.concurrent.CompletableFuture

import scala.jdk.CollectionConverters._

import com.azure.core.amqp.{AmqpRetryMode, AmqpRetryOptions}
import com.azure.messaging.eventhubs.EventHubProducerAsyncClient
import com.azure.messaging.eventhubs.models.CreateBatchOptions

import org.apache.spark.eventhubs.options.{ConnectionSettings, WriteDestination}

/** The SDK's async producer: one AMQP connection, with a link for the hub and one for each partition written to. */
private[spark] final class EventHubsProducerClient(client: EventHubProducerAsyncClient) extends EventHubsProducer {

  override def partitionIds(): CompletableFuture[IndexedSeq[String]] =
    client.getEventHubProperties.toFuture.thenApply(_.getPartitionIds.asScala.toIndexedSeq)

  override def newBatch(destination: WriteDestination, maxBytes: Option[Int]): CompletableFuture[OutgoingBatch] =
    client
      .createBatch(batchOptions(destination))
      .toFuture
      .thenCompose { batch =>
        // A bound above the link's own is an error for the SDK, and the link's own is known only from a batch.
        maxBytes.filter(_ < batch.getMaxSizeInBytes) match {
          case Some(bytes) => client.createBatch(batchOptions(destination).setMaximumSizeInBytes(bytes)).toFuture
          case None => CompletableFuture.completedFuture(batch)
        }
      }
      .thenApply(new EventHubsProducerBatch(_))

  override def send(batch: OutgoingBatch): CompletableFuture[Unit] = batch match {
    case ours: EventHubsProducerBatch => client.send(ours.batch).toFuture.thenApply(_ => ())
    case other => throw new IllegalArgumentException(s"a batch of another producer: ${other.getClass.getName}")
  }

  override def close(): Unit = client.close()

  private def batchOptions(destination: WriteDestination): CreateBatchOptions = destination match {
    case WriteDestination.ToPartition(id) => new CreateBatchOptions().setPartitionId(id)
    case WriteDestination.ByKey(key) => new CreateBatchOptions().setPartitionKey(key)
    case WriteDestination.AnyPartition => new CreateBatchOptions()
  }
}

private[spark] object EventHubsProducerClient {

  def open(settings: ConnectionSettings): EventHubsProducerClient =
    new EventHubsProducerClient(SdkBuilders(settings).retryOptions(oneTry(settings)).buildAsyncProducerClient())

  /**
   * The SDK's own retries wait at least 4 seconds even when only a link was dropped, hide throttling, and may overtake
   * each other. The delay is left for opening a connection, which the SDK tries again until the try's time is over.
   */
  private def oneTry(settings: ConnectionSettings): AmqpRetryOptions = {
    val perTry = settings.operationTimeout.dividedBy(settings.maxRetries + 1L)
    new AmqpRetryOptions()
      .setMaxRetries(0)
      .setMode(AmqpRetryMode.FIXED)
      .setDelay(Duration.ofMillis(500))
      .setTryTimeout(if (perTry.compareTo(MinimumTry) < 0) MinimumTry else perTry)
  }

  private val MinimumTry = Duration.ofSeconds(1)
}
