package com.azure.messaging.eventhubs

import java.nio.channels.SocketChannel
import java.util.concurrent.{ConcurrentHashMap, CountDownLatch, TimeUnit}

import scala.util.control.NonFatal

import com.azure.core.amqp.implementation.ReactorProvider
import org.apache.qpid.proton.amqp.Symbol
import org.apache.qpid.proton.amqp.transport.ErrorCondition
import org.apache.qpid.proton.engine.{BaseHandler, Event, Transport}
import org.apache.qpid.proton.reactor.{Reactor, Selectable}

/**
 * The sockets of one connection, which opens a new one when the service has closed the last one. From the start they
 * have SO_LINGER 0: when one is aborted, when the SDK gives one up, or when the process dies, the kernel discards what
 * waits in the socket and sends a RST. Otherwise the kernel would send it minutes later, when the network works again.
 *
 * What has left this host before still arrives: no sender can take it back.
 *
 * They also have TCP_NODELAY, which the SDK does not set. Without it a small frame waits until the service's kernel has
 * acknowledged the last one: up to a round trip, or 40 ms (Nagle's algorithm, RFC 896).
 */
private final class AbortableSockets {

  private val open = ConcurrentHashMap.newKeySet[AbortableSockets.Socket]()
  @volatile private var isAborted = false

  /** Learns of the sockets that a new reactor opens. */
  def watch(reactor: Reactor, provider: ReactorProvider): Unit =
    reactor.getGlobalHandler.add(new AbortableSockets.Handler(this, provider))

  /** Closes the sockets so that nothing leaves them afterwards. Sockets that open later are closed at once. */
  def abort(): Unit = {
    isAborted = true
    open.forEach(_.abort())
  }

  /** Lets the sockets send what waits in them when they are closed from now on. */
  def linger(): Unit = open.forEach(_.linger())

  private def opened(socket: AbortableSockets.Socket): Unit = {
    open.removeIf(!_.isOpen)
    open.add(socket)
    if (isAborted) socket.cut()
  }
}

private object AbortableSockets {

  private val MaxWaitMillis = 5000L

  /** Notices the sockets of a reactor. Runs after the reactor's own handler, in its thread. */
  private final class Handler(sockets: AbortableSockets, provider: ReactorProvider) extends BaseHandler {
    private var transport = Option.empty[Transport]
    private var current = Option.empty[Socket]

    override def onConnectionBound(event: Event): Unit = transport = Option(event.getTransport)

    // A reactor also selects its pipes, which have no socket.
    override def onSelectableInit(event: Event): Unit = event.getSelectable.getChannel match {
      case channel: SocketChannel =>
        val socket = new Socket(event.getSelectable, channel, transport, provider)
        socket.discardOnClose()
        socket.sendAtOnce()
        current = Some(socket)
        sockets.opened(socket)
      case _ => ()
    }

    override def onSelectableFinal(event: Event): Unit =
      current.filter(_.selectable eq event.getSelectable).foreach(socket => sockets.open.remove(socket))
  }

  private final class Socket(
      val selectable: Selectable,
      channel: SocketChannel,
      transport: Option[Transport],
      provider: ReactorProvider
  ) {

    def isOpen: Boolean = channel.isOpen

    def discardOnClose(): Unit = configured(_.setSoLinger(true, 0))

    def linger(): Unit = configured(_.setSoLinger(false, 0))

    def sendAtOnce(): Unit = configured(_.setTcpNoDelay(true))

    /** Returns when the kernel has closed the socket. */
    def abort(): Unit = {
      discardOnClose()
      val done = new CountDownLatch(1)
      try {
        provider.getReactorDispatcher.invoke { () =>
          try cut()
          finally done.countDown()
        }
        val deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(MaxWaitMillis)
        done.await(MaxWaitMillis, TimeUnit.MILLISECONDS)
        // The kernel's socket closes with the reactor's next call of `select`.
        while (channel.isRegistered && System.nanoTime() - deadline < 0) TimeUnit.MILLISECONDS.sleep(1)
      } catch { case NonFatal(_) => () } // The reactor has ended, and has closed the socket before.
      // A reactor that did not answer in time finds its socket closed.
      channel.close()
    }

    /** Ends the socket as after an I/O error. In the reactor's thread only. */
    def cut(): Unit = {
      transport.filterNot(_.isClosed).foreach { of =>
        of.setCondition(new ErrorCondition(Symbol.getSymbol("proton:io"), "the connection was aborted"))
        // Layers above the socket, such as TLS, may complain that their peer has not said goodbye.
        Seq(() => of.close_tail(), () => of.close_head()).foreach { close =>
          try close()
          catch { case NonFatal(_) => () }
        }
      }
      selectable.terminate()
      selectable.getReactor.update(selectable)
    }

    private def configured(set: java.net.Socket => Unit): Unit =
      try set(channel.socket())
      catch { case _: java.net.SocketException => () } // It is closed already.
  }
}
