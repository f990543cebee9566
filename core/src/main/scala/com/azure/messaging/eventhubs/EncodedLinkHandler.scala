package com.azure.messaging.eventhubs

import java.io.IOException
import java.util.concurrent.RejectedExecutionException

import com.azure.core.amqp.AmqpRetryOptions
import com.azure.core.amqp.implementation.handler.{DeliverySettleMode, ReceiveLinkHandler2}
import com.azure.core.amqp.implementation.{AmqpMetricsProvider, ReactorDispatcher}
import org.apache.qpid.proton.amqp.messaging.{Accepted, Modified}
import org.apache.qpid.proton.engine.{Delivery, EndpointState, Event, Receiver}
import org.apache.qpid.proton.message.Message
import reactor.core.publisher.{Flux, Mono}

/**
 * The SDK's handler of a receive link, except that it does not decode messages and keeps the session's window. Used by
 * the connection's thread.
 *
 * @param onClosed called once or more often when the link has ended
 */
private final class EncodedLinkHandler(
    connectionId: String,
    hostname: String,
    linkName: String,
    entityPath: String,
    settleMode: DeliverySettleMode,
    dispatcher: ReactorDispatcher,
    retryOptions: AmqpRetryOptions,
    onClosed: EncodedLinkHandler => Unit
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
  private val frames = new FrameCollector

  /** The question that the service has not answered. */
  private var draining = Option.empty[DrainRequest]

  /** Volatile, because other threads close the link when the connection's thread has ended. */
  @volatile private var over = false

  /** What has ended the link in this JVM. Nothing is delivered after it. */
  private var failure = Option.empty[Throwable]

  override def getMessages: Flux[Message] = messages

  override def onLinkLocalOpen(event: Event): Unit = {
    event.getLink match {
      case link: Receiver => messages.opened(link.getSession, drain(link, _))
      case other => throw new IllegalStateException(s"a ${other.getClass.getName} receives")
    }
    super.onLinkLocalOpen(event)
  }

  override def onLinkFlow(event: Event): Unit = {
    super.onLinkFlow(event)
    (draining, event.getLink) match {
      case (Some(request), link: Receiver) if !link.draining =>
        val returned = link.drained()
        if (returned > 0) {
          draining = None
          link.setDrain(false)
          request.answer(returned, isEmpty = link.getQueued == 0)
        }
      case _ => ()
    }
  }

  /** Asks the service for the rest, in the connection's thread. */
  private def drain(link: Receiver, request: DrainRequest): Unit =
    try
      dispatcher.invoke { () =>
        if (!over && link.getLocalState == EndpointState.ACTIVE) {
          draining = Some(request)
          // Not `drain`, which the next credit would cancel, so that the service would never answer.
          link.setDrain(true)
        }
      }
    catch {
      // The link is about to end.
      case _: RejectedExecutionException | _: IOException => ()
    }

  override def onDelivery(event: Event): Unit = {
    val delivery = event.getDelivery
    // Proton-j repeats the event of a settled delivery, and one whose handler has failed.
    if (!delivery.isSettled) delivery.getLink match {
      case link: Receiver =>
        try handle(delivery, link)
        catch {
          // Another thread has closed and freed the link. The connection's other links must continue.
          case _: IllegalStateException if over => ()
          // The message's bytes may be gone, so no later message may pass. The other links can continue.
          case failed: Throwable =>
            fail(failed)
            abandon(delivery, link)
        }
      case other => throw new IllegalStateException(s"a ${other.getClass.getName} has a delivery")
    }
  }

  /** Ends the link with an error that is not the service's. */
  def fail(error: Throwable): Unit = if (failure.isEmpty) {
    failure = Some(error)
    messages.fail(error)
  }

  override def preClose(): Mono[Void] = {
    over = true
    super.preClose()
  }

  override def close(): Unit = {
    over = true
    onClosed(this)
    super.close()
  }

  override def onError(error: Throwable): Unit = {
    over = true
    onClosed(this)
    super.onError(error)
  }

  private def handle(delivery: Delivery, link: Receiver): Unit =
    if (delivery.isAborted || failure.nonEmpty || link.getLocalState == EndpointState.CLOSED) abandon(delivery, link)
    else if (delivery.isPartial) collect(link)
    else take(delivery, link)

  /** Takes the frames that have arrived, so that proton-j's session never holds bytes of this link when it closes. */
  private def collect(link: Receiver): Unit = {
    frames.add(link.recv())
    messages.arriving(frames.bytes)
  }

  private def take(delivery: Delivery, link: Receiver): Unit = {
    val message = frames.complete(link.recv())
    delivery.disposition(Accepted.getInstance)
    delivery.settle()
    messages.emit(message)
  }

  /** Drops the bytes, and settles a delivery that has ended: an unsettled one stays in the session's memory. */
  private def abandon(delivery: Delivery, link: Receiver): Unit = {
    frames.clear()
    if (delivery.isPartial && !delivery.isAborted) link.recv()
    else if (!delivery.isSettled) {
      delivery.disposition(new Modified)
      delivery.settle()
    }
    ()
  }
}
