package localhub.amqp

import java.io.IOException
import java.nio.channels.{SelectionKey, ServerSocketChannel, SocketChannel}
import java.time.Duration

import org.slf4j.LoggerFactory

/** Accepts connections on the first loop, and gives them to all loops in turn. */
private[amqp] final class Acceptor(listener: ServerSocketChannel, loops: IndexedSeq[IoLoop], server: ServerContext)
    extends Selected {
  import Acceptor._

  private var turn = 0

  listener.configureBlocking(false)
  listener.register(loops.head.selector, SelectionKey.OP_ACCEPT, this)

  override def onSelected(key: SelectionKey): Unit =
    try Option(listener.accept()).foreach(serve)
    catch {
      // Mostly that there are no more file handles: trying at once again would only keep the thread busy.
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
      val loop = loops(turn % loops.length)
      turn += 1
      server.counters.opened.increment()
      loop.execute { () => new SocketConnection(channel, loop, server); () }
    }

  override def close(): Unit = listener.close()
}

private object Acceptor {
  private val log = LoggerFactory.getLogger(classOf[Acceptor])
  private val Pause = Duration.ofMillis(200)
}
