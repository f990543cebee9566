package com.azure.messaging.eventhubs

import java.util.function.{Function => JavaFunction}
import java.util.{Map => JavaMap, UUID}

import com.azure.core.amqp.AmqpEndpointState
import com.azure.core.amqp.exception.AmqpException
import com.azure.core.amqp.implementation._
import com.azure.messaging.eventhubs.implementation.EventHubReactorAmqpConnection
import com.azure.messaging.eventhubs.models.{EventPosition, ReceiveOptions}
import org.apache.qpid.proton.amqp.transport.DeliveryState
import org.reactivestreams.Publisher
import reactor.core.publisher.{Flux, Mono}
import reactor.core.scheduler.{Scheduler, Schedulers}

/**
 * The SDK's own connection, which opens again what the service closes, with its links. What it is made
 * of is private to the SDK's package, so it stands in it. The SDK is part of our jar, in one version.
 *
 * @param builder with credential, transport and retry options
 * @param caller  runs calls on a thread that is never interrupted
 */
private final class SdkConnection(builder: EventHubClientBuilder, hubName: String, caller: Scheduler)
    extends AutoCloseable {

  private val identifier = UUID.randomUUID.toString

  private val connection = {
    val options = builder.scheduler(Schedulers.boundedElastic()).getConnectionOptions
    new ConnectionCacheWrapper(
      new ReactorConnectionCache[EventHubReactorAmqpConnection](
        () => SdkConnection.open(options, hubName),
        options.getFullyQualifiedNamespace,
        hubName,
        RetryUtil.getRetryPolicy(options.getRetry),
        JavaMap.of(ClientConstants.ENTITY_PATH_KEY, hubName)
      )
    )
  }

  def properties: Mono[EventHubProperties] =
    connection.getManagementNodeWithRetries.flatMap[EventHubProperties](_.getEventHubProperties)

  def properties(partitionId: String): Mono[PartitionProperties] =
    connection.getManagementNodeWithRetries.flatMap[PartitionProperties](_.getPartitionProperties(partitionId))

  /** The messages of a partition over one link: as many as are asked for is the credit that the service gets. */
  def messages(from: SdkConnection.Place): Flux[Array[Byte]] = {
    val opened = new OpenedLinks
    val read: JavaFunction[AmqpReceiveLink, Publisher[Array[Byte]]] = new LinkMessages(_)
    link(from, opened)
      .flatMapMany[Array[Byte]](read)
      .doFinally(_ => opened.close())
  }

  /** Completes when the service has let a reader in, which is closed again; empty when the connection went away. */
  def admitted(from: SdkConnection.Place): Mono[AmqpEndpointState] = {
    val opened = new OpenedLinks
    link(from, opened)
      .flatMap[AmqpEndpointState](_.getEndpointStates.filter(_ == AmqpEndpointState.ACTIVE).next())
      .doFinally(_ => opened.close())
  }

  /** The SDK answers 0 for a link that went away while it was opened, as its connection does when another task replaces it. */
  def maxMessageBytes(partitionId: Option[String]): Mono[Integer] = tried(
    senderOf(partitionId).flatMap[Integer](link =>
      link.getEndpointStates
        .filter(_ == AmqpEndpointState.ACTIVE)
        .next()
        .switchIfEmpty(Mono.error(() => new AmqpException(true, "The link went away while it was opened.", null, null)))
        .flatMap[Integer](_ => link.getLinkSize)
        .map[Integer](advertised => if (advertised > 0) advertised else SdkConnection.UnsaidMaxBytes)
    ),
    "Opening a link for sending"
  )

  def send(partitionId: Option[String], message: Array[Byte], length: Int): Mono[DeliveryState] =
    tried(
      senderOf(partitionId).flatMap[DeliveryState](_.send(message, length, SdkConnection.BatchFormat, null)),
      "Sending a batch"
    )

  override def close(): Unit = connection.dispose()

  private def link(from: SdkConnection.Place, opened: OpenedLinks): Mono[AmqpReceiveLink] = {
    val name = StringUtil.getRandomString(from.partitionId)
    val path = EncodedReceiveHandlers.path(hubName, from.consumerGroup, from.partitionId)
    val opening: Mono[AmqpReceiveLink] = connection.getConnection
      .flatMap[AmqpReceiveLink](amqp =>
        opened.keep(amqp.createReceiveLink(name, path, from.position, from.options, identifier))
      )
      // A channel that closes under the call belongs to a connection that goes away; the next attempt gets another one.
      .onErrorMap {
        case closed: RequestResponseChannelClosedException => new AmqpException(true, closed.getMessage, closed, null)
        case other => other
      }
    tried(opening, s"Opening the receive link $name", isLong = true)
  }

  private def senderOf(partitionId: Option[String]): Mono[AmqpSendLink] = {
    val path = partitionId.fold(hubName)(id => s"$hubName/Partitions/$id")
    connection.getConnection.flatMap[AmqpSendLink](
      _.createSendLink(path, path, connection.getRetryOptions, identifier)
    )
  }

  /** Each attempt is made by the caller: the thread on which the SDK would try again is one that it interrupts. */
  private def tried[A](call: Mono[A], doing: String, isLong: Boolean = false): Mono[A] =
    RetryUtil.withRetry(call.subscribeOn(caller), connection.getRetryOptions, s"$doing timed out.", isLong)
}

private object SdkConnection {

  /** Where a reader begins, and as whom. */
  final case class Place(consumerGroup: String, partitionId: String, position: EventPosition, options: ReceiveOptions)

  private def open(options: ConnectionOptions, hubName: String): EventHubReactorAmqpConnection = {
    val reactors = new ReactorProvider
    new EventHubReactorAmqpConnection(
      StringUtil.getRandomString("MF"),
      options,
      hubName,
      reactors,
      new EncodedReceiveHandlers(reactors),
      new ZeroCopySendLinks,
      new AzureTokenManagerProvider(
        options.getAuthorizationType,
        options.getFullyQualifiedNamespace,
        options.getAuthorizationScope
      ),
      new EventHubMessageSerializer,
      true,
      true
    )
  }

  /** What the SDK too takes for the limit of a service that does not say one. */
  private val UnsaidMaxBytes = 256 * 1024

  /** Message format by which the service knows a batch. */
  private val BatchFormat = 0x80013700
}
