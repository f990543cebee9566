package com.azure.messaging.eventhubs

import java.time.Duration
import java.util.concurrent.ConcurrentHashMap
import javax.net.ssl.SSLContext

import com.azure.core.amqp.AmqpRetryOptions
import com.azure.core.amqp.implementation.handler.{
  ConnectionHandler,
  DeliverySettleMode,
  ReceiveLinkHandler2,
  SessionHandler
}
import com.azure.core.amqp.implementation.{
  ConnectionOptions,
  ReactorDispatcher,
  ReactorHandlerProvider,
  ReactorProvider
}
import com.azure.messaging.eventhubs.transport.TransportHandlers

/**
 * Creates the SDK's handlers of receive links. A link to a partition delivers encoded messages, so that the
 * connection's one thread, which all its links share, does not decode messages. The links for tokens and management
 * stay the SDK's.
 */
private final class EncodedReceiveHandlers(provider: ReactorProvider, trust: () => Option[SSLContext])
    extends ReactorHandlerProvider(provider, null) {

  private val open = ConcurrentHashMap.newKeySet[EncodedLinkHandler]()

  /** Ends all links to partitions with this error. Only the connection's thread calls it. */
  def fail(error: Throwable): Unit = open.forEach(_.fail(error))

  override def createConnectionHandler(connectionId: String, options: ConnectionOptions): ConnectionHandler = {
    val handler = TransportHandlers(connectionId, options, trust().filter(_ => options.isEnableSsl))
      .getOrElse(super.createConnectionHandler(connectionId, options))
    handler.add(new SmallFrames)
    handler
  }

  override def createSessionHandler(
      connectionId: String,
      hostname: String,
      sessionName: String,
      openTimeout: Duration
  ): SessionHandler =
    new EndedSessionHandler(connectionId, hostname, sessionName, provider.getReactorDispatcher, openTimeout)

  override def createReceiveLinkHandler(
      connectionId: String,
      hostname: String,
      receiverName: String,
      entityPath: String,
      settleMode: DeliverySettleMode,
      includeDeliveryTag: Boolean,
      dispatcher: ReactorDispatcher,
      retryOptions: AmqpRetryOptions
  ): ReceiveLinkHandler2 =
    if (EncodedReceiveHandlers.isPartition(entityPath)) {
      val handler = new EncodedLinkHandler(
        connectionId,
        hostname,
        receiverName,
        entityPath,
        settleMode,
        dispatcher,
        retryOptions,
        closed => { val _ = open.remove(closed) }
      )
      open.add(handler)
      handler
    } else
      super.createReceiveLinkHandler(
        connectionId,
        hostname,
        receiverName,
        entityPath,
        settleMode,
        includeDeliveryTag,
        dispatcher,
        retryOptions
      )
}

private object EncodedReceiveHandlers {

  /** The address of a partition's events. */
  def path(hubName: String, consumerGroup: String, partitionId: String): String =
    s"$hubName/$Groups/$consumerGroup/Partitions/$partitionId"

  private def isPartition(entityPath: String): Boolean = entityPath.contains(s"/$Groups/")

  private val Groups = "ConsumerGroups"
}
