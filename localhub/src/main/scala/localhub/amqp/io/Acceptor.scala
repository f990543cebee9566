package localhub.amqp.io

import java.io.IOException
import java.nio.channels.{SelectionKey, ServerSocketChannel, SocketChannel}
import java.time.Duration

import org.slf4j.LoggerFactory

import localhub.amqp.server.ServerContext

/** Accepts connections on the first loop and assigns them to all loops round-robin. */
private[amqp] final class Acceptor(listener: ServerSocketChannel, loops: IndexedSeq[IoLoop], server: ServerContext)
    extends ChannelHandler {
  import Acceptor._

  private var nextLoop = 0

  listener.configureBlocking(false)
  listener.register(loops.head.selector, SelectionKey.OP_ACCEPT, this)

  override def onReady(key: SelectionKey): Unit =
    try Option(listener.accept()).foreach(serve)
    catch {
      // Usually the process is out of file handles. An immediate retry would only keep the thread busy.
      case e: IOException =>
        log.warn(s"A connection could not be accepted; trying again in ${Pause.toMillis} ms.", e)
        key.interestOps(0)
        loops.head.executeLater(Pause, () => if (key.isValid) { key.interestOps(SelectionKey.OP_ACCEPT); () })
    }

  private def serve(channel: SocketChannel): Unit =
    if (server.counters.snapshot.openConnections >= server.limits.connections) channel.close()
    else {
      channel.configureBlocking(false)
      channel.socket.setTcpNoDelay(true)
      val loop = loops(nextLoop % loops.length)
      nextLoop += 1
      server.counters.opened.increment()
      loop.execute { () => new SocketConnection(channel, loop, server); () }
    }

  override def close(): Unit = listener.close()
}

private object Acceptor {
  private val log = LoggerFactory.getLogger(classOf[Acceptor])
  private val Pause = Duration.ofMillis(200)
}
