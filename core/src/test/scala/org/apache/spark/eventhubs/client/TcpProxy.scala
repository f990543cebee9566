package org.apache.spark.eventhubs.client

import java.io.IOException
import java.net.{InetAddress, ServerSocket, Socket}
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.atomic.AtomicBoolean

/** A wire that a test can cut, or hold so that both ends believe it is well while nothing passes. */
final class TcpProxy(targetPort: Int) extends AutoCloseable {

  private val listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress)
  private val sockets = new ConcurrentLinkedQueue[Socket]
  private val held = new ConcurrentLinkedQueue[AtomicBoolean]

  daemon("accept") {
    while (true) {
      val client = listener.accept()
      val server = new Socket(InetAddress.getLoopbackAddress, targetPort)
      val hold = new AtomicBoolean
      Seq(client, server).foreach(sockets.add)
      held.add(hold)
      daemon("up")(pump(client, server, hold))
      daemon("down")(pump(server, client, hold))
    }
  }

  def port: Int = listener.getLocalPort

  /** Closes the connections that are open; new ones can be made. */
  def cut(): Unit = {
    held.clear()
    sockets.removeIf { socket =>
      socket.close()
      true
    }
    ()
  }

  /** Passes nothing on any more on the connections that are open; new ones work. */
  def hold(): Unit = held.forEach(_.set(true))

  override def close(): Unit = {
    listener.close()
    cut()
  }

  private def pump(from: Socket, to: Socket, hold: AtomicBoolean): Unit =
    try {
      val buffer = new Array[Byte](64 * 1024)
      var read = from.getInputStream.read(buffer)
      while (read >= 0) {
        if (!hold.get) to.getOutputStream.write(buffer, 0, read)
        read = from.getInputStream.read(buffer)
      }
    } finally Seq(from, to).foreach(_.close())

  private def daemon(name: String)(work: => Unit): Unit = {
    val thread = new Thread(
      () =>
        try work
        catch { case _: IOException => () },
      s"tcp-proxy-$name"
    )
    thread.setDaemon(true)
    thread.start()
  }
}
