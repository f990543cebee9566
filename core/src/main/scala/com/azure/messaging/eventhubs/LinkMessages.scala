package com.azure.messaging.eventhubs

import java.io.UncheckedIOException
import java.util.concurrent.RejectedExecutionException
import java.util.concurrent.atomic.{AtomicBoolean, AtomicLong}

import com.azure.core.amqp.AmqpEndpointState
import com.azure.core.amqp.implementation.AmqpReceiveLink
import org.apache.qpid.proton.message.Message
import org.reactivestreams.Subscription
import reactor.core.publisher.{BaseSubscriber, Flux}
import reactor.core.{CoreSubscriber, Disposables}

/**
 * The encoded messages of one open link, for one reader, on the connection's own thread. The reader's requests are exactly
 * the link's credit.
 *
 * Replaces the SDK's `MessageFlux`, which handles the link's state in another thread and interrupts that thread when the
 * reader cancels. An interrupt while it grants credit breaks the connection for all its readers, and the socket stays
 * open. `MessageFlux` also has a second queue, which costs time for each message.
 */
private final class LinkMessages(link: AmqpReceiveLink) extends Flux[Array[Byte]] {

  override def subscribe(reader: CoreSubscriber[_ >: Array[Byte]]): Unit = {
    val flow = new LinkMessages.Flow(link, reader)
    reader.onSubscribe(flow)
    flow.start()
  }
}

private object LinkMessages {

  private final class Flow(link: AmqpReceiveLink, reader: CoreSubscriber[_ >: Array[Byte]]) extends Subscription {

    /** Requested by the reader and not yet granted to the service. */
    private val requested = new AtomicLong
    @volatile private var active = false
    private val over = new AtomicBoolean
    private val states = Disposables.swap()

    /** Stays subscribed until the link ends, because the SDK logs a warning for each message without a subscriber. */
    private val messages = new BaseSubscriber[Message] {
      override def hookOnNext(message: Message): Unit = message match {
        case encoded: EncodedMessage => if (!over.get) reader.onNext(encoded.bytes)
        case other => throw new IllegalStateException(s"the link delivers a ${other.getClass.getName}")
      }

      // The link's states report its end, with the reason.
      override def hookOnError(error: Throwable): Unit = ()
    }

    def start(): Unit = {
      link.receive().subscribe(messages)
      states.update(
        link.getEndpointStates.subscribe(
          state => if (state == AmqpEndpointState.ACTIVE) activate(),
          (error: Throwable) => end(reader.onError(error)),
          () => end(reader.onComplete())
        )
      )
      ()
    }

    override def request(n: Long): Unit = if (requested.getAndAdd(n) == 0 && active) grantCredit()

    override def cancel(): Unit = end(())

    /** The service accepts no credit before it has answered. */
    private def activate(): Unit = {
      active = true
      if (requested.get > 0) grantCredit()
    }

    private def grantCredit(): Unit =
      try link.addCredit(() => requested.getAndSet(0L))
      catch {
        // The link is about to end; its states report that.
        case _: RejectedExecutionException | _: UncheckedIOException => ()
      }

    private def end(last: => Unit): Unit = if (over.compareAndSet(false, true)) {
      states.dispose()
      last
    }
  }
}
