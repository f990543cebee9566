package com.azure.messaging.eventhubs

import java.time.Duration

import com.azure.core.amqp.AmqpRetryOptions
import com.azure.core.amqp.implementation.handler.{DeliverySettleMode, ReceiveLinkHandler2, SessionHandler}
import com.azure.core.amqp.implementation.{
  AmqpMetricsProvider,
  ReactorDispatcher,
  ReactorHandlerProvider,
  ReactorProvider
}
import org.apache.qpid.proton.amqp.messaging.{Accepted, Modified}
import org.apache.qpid.proton.engine.{Delivery, EndpointState, Event, Receiver}
import org.apache.qpid.proton.message.Message
import reactor.core.CoreSubscriber
import reactor.core.publisher.{Flux, Mono, Operators}

/**
 * Creates the SDK's handlers of receive links. A link to a partition delivers [[EncodedMessage]]s, so that the connection's
 * one thread, which all its links share, does not decode messages. The links for tokens and management stay the SDK's.
 */
private final class EncodedReceiveHandlers(provider: ReactorProvider) extends ReactorHandlerProvider(provider, null) {

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
    if (EncodedReceiveHandlers.isPartition(entityPath))
      new EncodedLinkHandler(connectionId, hostname, receiverName, entityPath, settleMode, dispatcher, retryOptions)
    else
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

/** The SDK's handler of a receive link, except that it does not decode messages. Used by the connection's thread. */
private final class EncodedLinkHandler(
    connectionId: String,
    hostname: String,
    linkName: String,
    entityPath: String,
    settleMode: DeliverySettleMode,
    dispatcher: ReactorDispatcher,
    retryOptions: AmqpRetryOptions
) extends ReceiveLinkHandler2(
      connectionId,
      hostname,
      linkName,
      entityPath,
      settleMode,
      dispatcher,
      retryOptions,
      false,
      AmqpMetricsProvider.noop()
    ) {

  private val messages = new EncodedMessages

  /** Volatile, because other threads close the link when the connection's thread has ended. */
  @volatile private var over = false

  override def getMessages: Flux[Message] = messages

  override def onDelivery(event: Event): Unit = {
    val delivery = event.getDelivery
    // A message in several frames causes an event for each of them; a repeated one is already settled.
    if (!delivery.isPartial && !delivery.isSettled) {
      val link = delivery.getLink.asInstanceOf[Receiver]
      if (delivery.isAborted || link.getLocalState == EndpointState.CLOSED) abandon(delivery)
      else
        try take(delivery, link)
        catch {
          // Another thread has closed and freed the link. The connection's other links must continue.
          case _: IllegalStateException if over => ()
        }
    }
  }

  override def preClose(): Mono[Void] = {
    over = true
    super.preClose()
  }

  override def close(): Unit = {
    over = true
    super.close()
  }

  override def onError(error: Throwable): Unit = {
    over = true
    super.onError(error)
  }

  private def take(delivery: Delivery, link: Receiver): Unit = {
    val bytes = read(link)
    delivery.disposition(Accepted.getInstance)
    delivery.settle()
    messages.emit(new EncodedMessage(bytes))
  }

  /** A message that came in one frame already has its own array. */
  private def read(link: Receiver): Array[Byte] = {
    val content = link.recv()
    val size = content.remaining
    if (content.hasArray && content.arrayOffset == 0 && content.array.length == size) content.array
    else {
      val bytes = new Array[Byte](size)
      content.get(bytes)
      bytes
    }
  }

  /** Settles the delivery, because an unsettled one stays in the session's memory. */
  private def abandon(delivery: Delivery): Unit = {
    delivery.disposition(new Modified)
    delivery.settle()
  }
}

/** Passes messages to one subscriber without a queue: the link's credit is what the subscriber has requested. */
private final class EncodedMessages extends Flux[Message] {

  @volatile private var reader = Option.empty[CoreSubscriber[_ >: Message]]

  override def subscribe(subscriber: CoreSubscriber[_ >: Message]): Unit = {
    subscriber.onSubscribe(Operators.emptySubscription())
    reader = Some(subscriber)
  }

  def emit(message: EncodedMessage): Unit = {
    val current = reader
    if (current.isDefined) current.get.onNext(message)
  }
}
