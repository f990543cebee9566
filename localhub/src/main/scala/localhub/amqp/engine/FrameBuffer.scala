package localhub.amqp.engine

import java.nio.ByteBuffer

import org.apache.qpid.proton.codec.{ReadableBuffer, WritableBuffer}

/**
 * Outgoing frames of a connection. Off the heap, so that the socket takes them without another copy. It grows, because
 * the protocol requires every answer. Code that writes events checks [[position]] first.
 */
private[localhub] final class FrameBuffer(initialCapacity: Int) extends WritableBuffer {

  private var buffer = ByteBuffer.allocateDirect(initialCapacity)

  /** The bytes since the last [[clear]]; valid until the next write. */
  def written: ByteBuffer = buffer.duplicate().flip()

  /** Empties the buffer, and shrinks it after a large message. */
  def clear(): Unit =
    if (buffer.capacity > 4 * initialCapacity) buffer = ByteBuffer.allocateDirect(initialCapacity)
    else { buffer.clear(); () }

  override def put(b: Byte): Unit = { ensureRemaining(1); buffer.put(b); () }
  override def putShort(s: Short): Unit = { ensureRemaining(2); buffer.putShort(s); () }
  override def putInt(i: Int): Unit = { ensureRemaining(4); buffer.putInt(i); () }
  override def putLong(l: Long): Unit = { ensureRemaining(8); buffer.putLong(l); () }
  override def putFloat(f: Float): Unit = { ensureRemaining(4); buffer.putFloat(f); () }
  override def putDouble(d: Double): Unit = { ensureRemaining(8); buffer.putDouble(d); () }

  override def put(source: Array[Byte], offset: Int, length: Int): Unit = {
    ensureRemaining(length)
    buffer.put(source, offset, length)
    ()
  }

  override def put(payload: ByteBuffer): Unit = {
    ensureRemaining(payload.remaining)
    buffer.put(payload)
    ()
  }

  override def put(payload: ReadableBuffer): Unit = {
    ensureRemaining(payload.remaining)
    buffer.put(payload.byteBuffer)
    payload.position(payload.limit)
    ()
  }

  /** Overwrites four earlier bytes, for example a size that is known at the end only. */
  def putIntAt(position: Int, value: Int): Unit = { buffer.putInt(position, value); () }

  /** Overwrites one earlier byte. */
  def putByteAt(position: Int, value: Int): Unit = { buffer.put(position, value.toByte); () }

  /** Makes room before earlier bytes. */
  def insertBytes(at: Int, count: Int): Unit = {
    val rest = new Array[Byte](buffer.position - at)
    buffer.get(at, rest)
    ensureRemaining(count)
    buffer.position(at + count)
    buffer.put(rest)
    ()
  }

  override def hasRemaining: Boolean = true
  override def remaining: Int = Int.MaxValue - buffer.position
  override def position: Int = buffer.position
  override def position(position: Int): Unit = { buffer.position(position); () }
  override def limit: Int = Int.MaxValue

  override def ensureRemaining(required: Int): Unit =
    if (buffer.remaining < required) {
      val larger = ByteBuffer.allocateDirect(math.max(buffer.capacity * 2, buffer.position + required))
      buffer = larger.put(buffer.flip())
    }
}
