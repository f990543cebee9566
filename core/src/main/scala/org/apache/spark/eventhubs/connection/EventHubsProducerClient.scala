package org.apache.spark.eventhubs.connection

import java.time.Duration
import java.util.concurrent.CompletableFuture

import scala.jdk.CollectionConverters._

import com.azure.core.amqp.{AmqpRetryMode, AmqpRetryOptions}
import com.azure.messaging.eventhubs.AmqpConnection

import org.apache.spark.eventhubs.options.{ConnectionSettings, WriteDestination}

/** Sends over one AMQP connection of the SDK, with a link for the hub and one for each partition written to. */
private[spark] final class EventHubsProducerClient(connection: AmqpConnection) extends EventHubsProducer {

  override def partitionIds(): CompletableFuture[IndexedSeq[String]] =
    connection.properties.toFuture.thenApply(_.getPartitionIds.asScala.toIndexedSeq)

  override def newBatch(destination: WriteDestination, maxBytes: Option[Int]): CompletableFuture[EventBatch] =
    connection.maxMessageBytes(partition(destination)).toFuture.thenApply { link =>
      // As the SDK: a 64th is left for what the service adds.
      val most = link - link / 64
      new AmqpEventBatch(destination, maxBytes.fold(most)(math.min(_, most)))
    }

  override def send(batch: EventBatch): CompletableFuture[Unit] = batch match {
    case ours: AmqpEventBatch =>
      connection.send(partition(ours.destination), ours.array, ours.bytes).toFuture.thenApply(_ => ())
    case other => throw new IllegalArgumentException(s"a batch of another producer: ${other.getClass.getName}")
  }

  override def close(): Unit = connection.close()

  private def partition(destination: WriteDestination): Option[String] = destination match {
    case WriteDestination.ToPartition(id) => Some(id)
    case WriteDestination.ByKey(_) | WriteDestination.AnyPartition => None
  }
}

private[spark] object EventHubsProducerClient {

  def open(settings: ConnectionSettings): EventHubsProducerClient = new EventHubsProducerClient(
    new AmqpConnection(SdkBuilders(settings).retryOptions(oneTry(settings)), settings.hub.name)
  )

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
