package com.azure.messaging.eventhubs

import java.util.concurrent.ConcurrentHashMap
import java.util.{Locale, UUID}

import com.azure.core.amqp.exception.AmqpException
import com.azure.core.amqp.implementation._
import com.azure.core.util.logging.ClientLogger
import com.azure.messaging.eventhubs.models.{EventPosition, ReceiveOptions}
import org.apache.qpid.proton.amqp.transport.DeliveryState
import org.apache.qpid.proton.message.Message
import reactor.core.publisher.{Flux, Mono}
import reactor.core.scheduler.Schedulers

/**
 * The SDK's own connection, which opens again what the service closes, with its links and public clients. What it is made
 * of is private to the SDK's package, so it stands in it. The SDK is part of our jar, in one version.
 *
 * @param builder with credential, transport and retry options
 */
private final class SdkConnection(builder: EventHubClientBuilder, hubName: String) extends AutoCloseable {

  private val identifier = UUID.randomUUID.toString
  private val serializer = new EventHubMessageSerializer
  private val meter = builder.createMeter()

  private val connection = new ConnectionCacheWrapper(
    new V2StackSupport(SdkConnection.Log).createConnectionCache(
      builder.scheduler(Schedulers.boundedElastic()).getConnectionOptions,
      () => hubName,
      serializer,
      meter,
      true
    )
  )

  private val clients = new EventHubAsyncClient(
    connection,
    serializer,
    Schedulers.boundedElastic(),
    true,
    () => (),
    identifier,
    meter,
    builder.createTracer()
  )

  /** The consumer group is a setting of the SDK's client, so there is one for each in use. */
  private val consumers = new ConcurrentHashMap[String, EventHubConsumerAsyncClient]

  def consumer(consumerGroup: String): EventHubConsumerAsyncClient =
    consumers.computeIfAbsent(consumerGroup, clients.createConsumer(_, 1, false))

  def properties: Mono[EventHubProperties] = clients.getProperties

  /** The messages of a partition over one link, as the SDK's consumer receives them. */
  def messages(
      consumerGroup: String,
      partitionId: String,
      position: EventPosition,
      options: ReceiveOptions,
      prefetchCount: Int
  ): Flux[Message] = {
    val name = StringUtil.getRandomString(partitionId)
    val path =
      String.format(Locale.US, "%s/ConsumerGroups/%s/Partitions/%s", hubName, consumerGroup, partitionId)
    val link: Mono[AmqpReceiveLink] = connection.getConnection
      .flatMap[AmqpReceiveLink](_.createReceiveLink(name, path, position, options, identifier))
      // A channel that closes under the call belongs to a connection that goes away; the next attempt gets another one.
      .onErrorMap {
        case closed: RequestResponseChannelClosedException => new AmqpException(true, closed.getMessage, closed, null)
        case other => other
      }
    val links = RetryUtil
      .withRetry(link, connection.getRetryOptions, s"Failed to create receive link $name", true)
      .repeat()
      // The repetition may give the first link once more after its end.
      .filter(!_.isDisposed)
    new MessageFlux(links, prefetchCount, CreditFlowMode.EmissionDriven, MessageFlux.NULL_RETRY_POLICY)
  }

  def maxMessageBytes(partitionId: Option[String]): Mono[Integer] =
    tried(senderOf(partitionId).flatMap[Integer](_.getLinkSize), "Opening a link for sending")

  def send(partitionId: Option[String], message: Array[Byte], length: Int): Mono[DeliveryState] =
    tried(
      senderOf(partitionId).flatMap[DeliveryState](_.send(message, length, SdkConnection.BatchFormat, null)),
      "Sending a batch"
    )

  override def close(): Unit = {
    consumers.values.forEach(_.close())
    connection.dispose()
  }

  private def senderOf(partitionId: Option[String]): Mono[AmqpSendLink] = {
    val path = partitionId.fold(hubName)(id => s"$hubName/Partitions/$id")
    connection.getConnection.flatMap[AmqpSendLink](
      _.createSendLink(path, path, connection.getRetryOptions, identifier)
    )
  }

  private def tried[A](call: Mono[A], doing: String): Mono[A] =
    RetryUtil.withRetry(call, connection.getRetryOptions, s"$doing timed out.")
}

private object SdkConnection {
  private val Log = new ClientLogger(classOf[SdkConnection])

  /** Message format by which the service knows a batch. */
  private val BatchFormat = 0x80013700
}
