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
 * The messages of one open link, for one reader, on the connection's own thread. What the reader asks for is the link's
 * credit, no more and no less.
 *
 * Stands in for the SDK's `MessageFlux`, which moves the state of a link to another thread and interrupts that one when its
 * reader goes away: in the middle of giving credit, this breaks the connection for all its readers, and its socket stays
 * open. It also holds a second queue, which costs time for each message.
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

    /** Asked for by the reader, and not yet told to the service. */
    private val wanted = new AtomicLong
    @volatile private var active = false
    private val over = new AtomicBoolean
    private val states = Disposables.swap()

    /** Stays until the link ends, though nobody reads any more: the SDK warns of each message that it cannot hand over. */
    private val messages = new BaseSubscriber[Message] {
      override def hookOnNext(message: Message): Unit = message match {
        case encoded: EncodedMessage => if (!over.get) reader.onNext(encoded.bytes)
        case other => throw new IllegalStateException(s"the link gives a ${other.getClass.getName}")
      }

      // How the link ends is told by its states, with the reason.
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

    override def request(n: Long): Unit = if (wanted.getAndAdd(n) == 0 && active) giveCredit()

    override def cancel(): Unit = end(())

    /** Before the service has answered, it would not take credit. */
    private def activate(): Unit = {
      active = true
      if (wanted.get > 0) giveCredit()
    }

    private def giveCredit(): Unit =
      try link.addCredit(() => wanted.getAndSet(0L))
      catch {
        // The link is about to end, which its states will tell.
        case _: RejectedExecutionException | _: UncheckedIOException => ()
      }

    private def end(last: => Unit): Unit = if (over.compareAndSet(false, true)) {
      states.dispose()
      last
    }
  }
}
