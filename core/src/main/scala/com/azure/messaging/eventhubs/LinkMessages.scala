package com.azure.messaging.eventhubs

import java.io.UncheckedIOException
import java.util.concurrent.RejectedExecutionException
import java.util.concurrent.atomic.{AtomicBoolean, AtomicLong}

import com.azure.core.amqp.AmqpEndpointState
import com.azure.core.amqp.implementation.AmqpReceiveLink
import org.reactivestreams.Subscription
import reactor.core.publisher.Flux
import reactor.core.scheduler.Scheduler
import reactor.core.{CoreSubscriber, Disposables}

/**
 * The encoded messages of one open link, for one reader, on the connection's own thread. The reader's requests are
 * exactly the link's credit.
 *
 * Replaces the SDK's `MessageFlux`, which handles the link's state in another thread and interrupts that thread when
 * the reader cancels. An interrupt while it grants credit breaks the connection for all its readers, and the socket
 * stays open. `MessageFlux` also has a second queue, which costs time for each message.
 *
 * @param window bounds the bytes that wait for the reader
 * @param drain  asks whether there are more messages
 * @param caller runs calls of the SDK in a thread that is never interrupted
 */
private final class LinkMessages(
    link: AmqpReceiveLink,
    window: ReceiveWindow,
    drain: Option[DrainRequest],
    caller: Scheduler
) extends Flux[Array[Byte]] {

  override def subscribe(reader: CoreSubscriber[_ >: Array[Byte]]): Unit = {
    val flow = new LinkMessages.Flow(link, window, drain, caller, reader)
    reader.onSubscribe(flow)
    flow.start()
  }
}

/**
 * A link ended because this JVM could not take a message from it. `cause` is the reason; the message is not to blame.
 */
final class ReceiveFailedException(cause: Throwable) extends RuntimeException(cause.toString, cause)

private object LinkMessages {

  private final class Flow(
      link: AmqpReceiveLink,
      override val window: ReceiveWindow,
      drain: Option[DrainRequest],
      caller: Scheduler,
      reader: CoreSubscriber[_ >: Array[Byte]]
  ) extends Subscription
      with EncodedReader {

    /** Requested by the reader and not yet granted to the service. */
    private val requested = new AtomicLong
    @volatile private var active = false
    private val over = new AtomicBoolean
    private val states = Disposables.swap()

    private val messages = link.receive() match {
      case encoded: EncodedMessages => encoded
      case other => throw new IllegalStateException(s"the link's messages are a ${other.getClass.getName}")
    }

    def start(): Unit = {
      messages.readBy(this)
      window.onReopen(() => { val _ = caller.schedule(() => if (active && !over.get) grantCredit()) })
      states.update(
        link.getEndpointStates.subscribe(
          state => if (state == AmqpEndpointState.ACTIVE) activate(),
          (error: Throwable) => end(reader.onError(error)),
          () => end(reader.onComplete())
        )
      )
      ()
    }

    override def isOver: Boolean = over.get

    override def onMessage(message: Array[Byte]): Unit = if (!over.get) {
      window.arrived(message.length)
      reader.onNext(message)
    }

    override def onFailure(error: Throwable): Unit = end(reader.onError(new ReceiveFailedException(error)))

    override def request(n: Long): Unit = if (requested.getAndAdd(n) == 0 && active) grantCredit()

    override def cancel(): Unit = end(())

    /** The service accepts no credit before it has answered. */
    private def activate(): Unit = {
      active = true
      if (requested.get > 0) grantCredit()
      drain.foreach(request =>
        request.bind(() => { val _ = caller.schedule(() => if (!over.get) messages.drain(request)) })
      )
    }

    /** Announces the window too, and opens a closed one also without new credit. */
    private def grantCredit(): Unit =
      try
        link.addCredit { () =>
          messages.announceWindow()
          requested.getAndSet(0L)
        }
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
