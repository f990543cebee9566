package com.azure.messaging.eventhubs

import java.net.{InetAddress, ServerSocket}
import java.nio.channels.SocketChannel

import org.apache.qpid.proton.engine.{BaseHandler, Event}

import testkit.TestSuite

class AbortableSocketsSuite extends TestSuite {

  /** What `read` finds at the socket that a reactor opens for a connection. */
  private def opened[T](read: java.net.Socket => T): T = {
    val server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress)
    try {
      val reactor = new GuardedReactors(new AbortableSockets, fail(_)).createReactor("connection", 65536)
      var found = Option.empty[T]
      // Runs after the handler of the sockets, which was added before.
      reactor.getGlobalHandler.add(new BaseHandler {
        override def onSelectableInit(event: Event): Unit = event.getSelectable.getChannel match {
          case channel: SocketChannel => found = Some(read(channel.socket()))
          case _ => ()
        }
      })
      reactor.connectionToHost(
        server.getInetAddress.getHostAddress,
        server.getLocalPort,
        new BaseHandler {
          override def onConnectionInit(event: Event): Unit = event.getConnection.open()
        }
      )
      reactor.setTimeout(10)
      reactor.start()
      try while (found.isEmpty && reactor.process()) ()
      finally {
        reactor.stop()
        reactor.free()
      }
      found.getOrElse(fail("the reactor opened no socket"))
    } finally server.close()
  }

  test("a small frame does not wait until the service has acknowledged the last one") {
    assert(opened(_.getTcpNoDelay))
  }

  test("a socket discards what waits in it when it is closed") {
    assert(opened(_.getSoLinger) == 0)
  }
}
