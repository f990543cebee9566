package benchmarks.server

import java.io.IOException
import java.nio.ByteBuffer
import java.nio.channels.SocketChannel
import java.util.concurrent.locks.LockSupport
import java.util.concurrent.{ConcurrentLinkedQueue, LinkedBlockingQueue, Semaphore}

/**
 * One direction of a proxied connection: a thread that reads and a thread that writes what is due.
 *
 * @param delayMillis time between the two
 */
private final class DelayLine(from: SocketChannel, to: SocketChannel, delayMillis: Double) {

  import DelayLine._

  private val delayNanos = (delayMillis * 1e6).toLong
  private val underWay = new LinkedBlockingQueue[Chunk]
  private val room = new Semaphore(MostBytes)
  private val free = new ConcurrentLinkedQueue[ByteBuffer]

  def start(): Unit = {
    DelayProxy.thread("delay-reader")(untilClosed(readAll())).start()
    DelayProxy.thread("delay-writer")(untilClosed(writeAll())).start()
  }

  private def readAll(): Unit = {
    var isOpen = true
    while (isOpen) {
      val buffer = Option(free.poll()).getOrElse(ByteBuffer.allocateDirect(ChunkBytes)).clear()
      isOpen = from.read(buffer) >= 0
      room.acquire(buffer.position())
      underWay.add(Chunk(buffer.flip(), System.nanoTime() + delayNanos, isLast = !isOpen))
    }
  }

  private def writeAll(): Unit = {
    var isOpen = true
    while (isOpen) {
      val chunk = underWay.take()
      awaitDue(chunk.dueNanos)
      val bytes = chunk.buffer.remaining
      while (chunk.buffer.hasRemaining) to.write(chunk.buffer)
      room.release(bytes)
      free.add(chunk.buffer)
      isOpen = !chunk.isLast
    }
    to.shutdownOutput()
    ()
  }

  private def awaitDue(nanos: Long): Unit = {
    var left = nanos - System.nanoTime()
    while (left > 0) {
      LockSupport.parkNanos(left)
      left = nanos - System.nanoTime()
    }
  }

  /** A connection that fails in one direction ends in both. */
  private def untilClosed(body: => Unit): Unit =
    try body
    catch {
      case _: IOException =>
        from.close()
        to.close()
        // The thread that writes may wait for a chunk.
        underWay.add(Chunk(ByteBuffer.allocate(0), 0, isLast = true))
        ()
    }
}

private object DelayLine {
  private val ChunkBytes = 256 * 1024

  /** More than any of the measured clients sends within the longest delay. */
  private val MostBytes = 64 * 1024 * 1024

  /** @param isLast whether the connection's end of stream follows */
  private final case class Chunk(buffer: ByteBuffer, dueNanos: Long, isLast: Boolean)
}
