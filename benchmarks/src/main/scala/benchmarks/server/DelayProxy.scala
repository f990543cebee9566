package benchmarks.server

import java.io.IOException
import java.net.{InetAddress, InetSocketAddress, StandardSocketOptions}
import java.nio.channels.{ClosedChannelException, ServerSocketChannel, SocketChannel}

/**
 * A TCP proxy on the loopback interface that delivers each byte later, as a long cable does. It limits no rate: what
 * arrives together is delivered together.
 *
 * @param target      port of the server
 * @param delayMillis delay in each direction
 */
final class DelayProxy(target: Int, delayMillis: Double) extends AutoCloseable {

  private val loopback = InetAddress.getByName("127.0.0.1")
  private val listener = ServerSocketChannel.open().bind(new InetSocketAddress(loopback, 0), DelayProxy.Backlog)

  def port: Int = listener.getLocalAddress.asInstanceOf[InetSocketAddress].getPort

  private val acceptor = DelayProxy.thread("delay-proxy")(acceptAll())
  acceptor.start()

  private def acceptAll(): Unit =
    try {
      while (true) connect(listener.accept())
    } catch { case _: ClosedChannelException => () }

  private def connect(client: SocketChannel): Unit =
    try {
      val server = SocketChannel.open(new InetSocketAddress(loopback, target))
      Seq(client, server).foreach(_.setOption[java.lang.Boolean](StandardSocketOptions.TCP_NODELAY, true))
      Seq(new DelayLine(client, server, delayMillis), new DelayLine(server, client, delayMillis)).foreach(_.start())
    } catch { case _: IOException => client.close() }

  override def close(): Unit = listener.close()
}

private[server] object DelayProxy {
  private val Backlog = 1024

  def thread(name: String)(body: => Unit): Thread = {
    val thread = new Thread(() => body, name)
    thread.setDaemon(true)
    thread
  }
}
