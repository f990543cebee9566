package org.apache.spark.eventhubs.connection

import java.io.{InputStream, OutputStream}
import java.net.{InetAddress, InetSocketAddress, ServerSocket, Socket}
import java.nio.charset.StandardCharsets.US_ASCII
import java.util.concurrent.ConcurrentLinkedQueue

/**
 * A proxy for plain AMQP that drops what the client sends from the first event on. So the client gets only what the
 * service sends in one round trip.
 */
final class FirstFlightProxy(targetPort: Int) extends AutoCloseable {

  private val listener = {
    val listener = new ServerSocket
    listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress, 0), 50)
    listener
  }
  private val sockets = new ConcurrentLinkedQueue[Socket]
  @volatile private var hasEvent = false

  ProxyThread.start {
    while (true) {
      val client = listener.accept()
      val server = new Socket(InetAddress.getLoopbackAddress, targetPort)
      Seq(client, server).foreach(sockets.add)
      ProxyThread.start(up(client.getInputStream, server.getOutputStream))
      ProxyThread.start(down(server.getInputStream, client.getOutputStream))
    }
  }

  def port: Int = listener.getLocalPort

  override def close(): Unit = {
    listener.close()
    sockets.forEach(_.close())
  }

  private def up(from: InputStream, to: OutputStream): Unit = {
    val buffer = new Array[Byte](64 * 1024)
    var read = from.read(buffer)
    while (read >= 0) {
      if (!hasEvent) to.write(buffer, 0, read)
      read = from.read(buffer)
    }
  }

  private def down(from: InputStream, to: OutputStream): Unit = {
    val buffer = new Array[Byte](64 * 1024)
    var read = from.read(buffer)
    while (read >= 0) {
      if (!hasEvent) hasEvent = new String(buffer, 0, read, US_ASCII).contains(FirstFlightProxy.OfEvents)
      to.write(buffer, 0, read)
      read = from.read(buffer)
    }
  }
}

private object FirstFlightProxy {

  /** An annotation of events. The sequence number's is also in the filter of a link. */
  private val OfEvents = "x-opt-enqueued-time"
}
