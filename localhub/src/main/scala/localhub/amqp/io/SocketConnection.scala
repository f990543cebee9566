package localhub.amqp.io

import java.io.IOException
import java.nio.ByteBuffer
import java.nio.channels.{SelectionKey, SocketChannel}

import org.slf4j.LoggerFactory

import localhub.amqp.connection.ConnectionHandler
import localhub.amqp.engine.FramingException
import localhub.amqp.layer.{InputAccumulator, LayerStack}
import localhub.amqp.server.ServerContext

/** Moves bytes between a socket and its connection handler. Buffers the output of one call at most. */
private[amqp] final class SocketConnection(channel: SocketChannel, loop: IoLoop, server: ServerContext)
    extends ChannelHandler {
  import SocketConnection._

  private val resources = loop.resources
  private val handler = new ConnectionHandler(
    server,
    resources,
    task => loop.execute(() => handle(task.run())),
    (delay, task) => loop.executeLater(delay, () => handle(task.run()))
  )
  private val key = channel.register(loop.selector, SelectionKey.OP_READ, this)
  private val layers =
    new LayerStack(resources.layers, server.tls, server.http, handler.receive(_))
  private val incoming = new InputAccumulator(resources.input, layers)
  private var unsent = NoBytes
  private var closed = false
  private var awaitsPeer = false
  private var finishedNanos = Option.empty[Long]
  private var eventBytes = MinEventBytes

  override def onReady(selected: SelectionKey): Unit = handle(if (selected.isReadable) read())

  override def onTick(nowNanos: Long): Unit = handle {
    handler.onTick(nowNanos)
    if (isFinished) closeUnread(nowNanos)
  }

  private def closeUnread(nowNanos: Long): Unit = {
    val since = finishedNanos.getOrElse(nowNanos)
    finishedNanos = Some(since)
    val patience = if (awaitsPeer) server.limits.peersClose else server.limits.lastFrames
    if (nowNanos - since > patience.toNanos) close()
  }

  /** Runs an action on the connection and sends the resulting output. */
  private def handle(action: => Unit): Unit = if (!closed)
    try {
      action
      if (handler.isDropped) close() else if (!closed && !awaitsPeer) flush()
    } catch {
      case _: IOException | _: FramingException => close()
      // Also after an OutOfMemoryError: on a connection that stays open, the client would wait for ever.
      case e: Throwable =>
        close()
        server.counters.defects.increment()
        log.error("A connection is closed because of a defect of the server.", e)
    }

  override def close(): Unit = if (!closed) {
    closed = true
    server.counters.closed.increment()
    try handler.onDisconnected()
    finally {
      // These frames must not reach the loop's next connection.
      resources.output.clear()
      layers.clear()
      key.cancel()
      channel.close()
    }
  }

  private def read(): Unit = if (awaitsPeer) drop()
  else {
    val count = incoming.feed(channel.read(_))
    if (count < 0) close() else server.counters.bytesIn.add(count.toLong)
  }

  private def drop(): Unit = {
    val dropped = ByteBuffer.allocate(DroppedAtOnce)
    if (channel.read(dropped) < 0) close()
  }

  /** Writes until the socket is full or nothing is left. Called after every action of the handler. */
  private def flush(): Unit = {
    if (unsent.hasRemaining) write(unsent)
    // Ten thousand connections that were slow once must not keep a buffer each.
    if (!unsent.hasRemaining) unsent = NoBytes
    var rounds = 0
    var more = true
    while (more && rounds < RoundsPerCall) {
      rounds += 1
      more = handler.produce(if (unsent.hasRemaining) 0 else eventBytes)
      val written = writeOut()
      // A slow client has few bytes waiting here, and a fast one gets large writes.
      eventBytes = if (written) math.min(eventBytes * 2, MaxEventBytes) else MinEventBytes
      more = written && more
    }
    if (more) loop.execute(() => handle(()))
    if (!isFinished || unsent.hasRemaining) updateInterest() else if (handler.awaitsClose) awaitPeer() else close()
  }

  /**
   * Everything is written, and nothing more will be. What the peer still sends is read and dropped for a moment: it may
   * be writing its own CLOSE, which a closed socket would answer with a reset.
   */
  private def awaitPeer(): Unit = {
    awaitsPeer = true
    channel.shutdownOutput()
    key.interestOps(SelectionKey.OP_READ)
    ()
  }

  /** @return whether everything was written */
  private def writeOut(): Boolean = {
    val bytes = layers.wrap(resources.output.written)
    if (bytes.hasRemaining) {
      if (!unsent.hasRemaining) write(bytes)
      if (bytes.hasRemaining) unsent = joined(unsent, bytes)
    }
    resources.output.clear()
    !unsent.hasRemaining
  }

  private def isFinished: Boolean = handler.isFinished || layers.isFinished

  private def write(bytes: ByteBuffer): Unit = server.counters.bytesOut.add(channel.write(bytes).toLong)

  /**
   * Stops reading from a peer that does not read its answers, or whose events come faster than the disk takes them, so
   * that they do not pile up here. The end of each append leads here.
   */
  private def updateInterest(): Unit = {
    val isFull = unsent.remaining > MaxUnsent || handler.waiting.areTooMany
    val reads = if (isFull || isFinished) 0 else SelectionKey.OP_READ
    val writes = if (unsent.hasRemaining) SelectionKey.OP_WRITE else 0
    if (key.isValid && key.interestOps != (reads | writes)) { key.interestOps(reads | writes); () }
  }
}

private object SocketConnection {
  private val log = LoggerFactory.getLogger(classOf[SocketConnection])

  val NoBytes: ByteBuffer = ByteBuffer.allocate(0)

  /** After these, the loop serves its other connections. */
  val RoundsPerCall = 4
  val DroppedAtOnce: Int = 64 * 1024
  val MaxUnsent: Int = 1024 * 1024
  val MinEventBytes: Int = 128 * 1024
  val MaxEventBytes: Int = 384 * 1024

  private def joined(first: ByteBuffer, second: ByteBuffer): ByteBuffer =
    ByteBuffer.allocate(first.remaining + second.remaining).put(first).put(second).flip()
}
