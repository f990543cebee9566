package org.apache.spark.sql.eventhubs.bodies

import java.io.EOFException
import java.nio.ByteBuffer
import java.nio.ByteOrder.LITTLE_ENDIAN

import org.apache.avro.io.Decoder
import org.apache.avro.util.Utf8

/**
 * Decodes Avro's binary encoding in an array. Avro's own decoder believes the lengths that it reads: for one text of a
 * body that is something else it allocates up to 2 GiB. This one knows how many bytes are left.
 */
private[bodies] final class AvroBytes extends Decoder {
  import AvroBytes._

  private var bytes = Array.emptyByteArray
  private var buffer = ByteBuffer.wrap(bytes)
  private var position = 0

  def set(body: Array[Byte], from: Int): Unit = {
    bytes = body
    buffer = ByteBuffer.wrap(body).order(LITTLE_ENDIAN)
    position = from
  }

  /** How many bytes no value has used. */
  def left: Int = bytes.length - position

  override def readNull(): Unit = ()

  override def readBoolean(): Boolean = {
    val value = bytes(taken(1))
    if (value != 0 && value != 1) throw new IllegalArgumentException(s"$value is no boolean")
    value == 1
  }

  override def readInt(): Int = {
    val value = readLong()
    if (value < Int.MinValue || value > Int.MaxValue) throw new IllegalArgumentException(s"$value is no int")
    value.toInt
  }

  override def readLong(): Long = {
    var value = 0L
    var shift = 0
    var next = 0
    while ({
      if (shift > LastShift) throw new IllegalArgumentException("a number has more than ten bytes")
      next = bytes(taken(1)).toInt
      value |= (next & 0x7fL) << shift
      shift += 7
      next < 0
    }) ()
    (value >>> 1) ^ -(value & 1)
  }

  override def readFloat(): Float = buffer.getFloat(taken(4))

  override def readDouble(): Double = buffer.getDouble(taken(8))

  override def readString(old: Utf8): Utf8 = {
    val length = readLength()
    val text = if (old eq null) new Utf8 else old
    text.setByteLength(length)
    System.arraycopy(bytes, taken(length), text.getBytes, 0, length)
    text
  }

  override def readString(): String = readString(new Utf8).toString

  override def skipString(): Unit = skipBytes()

  override def readBytes(old: ByteBuffer): ByteBuffer = {
    val length = readLength()
    val value = if ((old ne null) && old.capacity >= length) old else ByteBuffer.allocate(length)
    value.clear()
    value.put(bytes, taken(length), length)
    value.flip()
    value
  }

  override def skipBytes(): Unit = {
    val _ = taken(readLength())
  }

  override def readFixed(target: Array[Byte], start: Int, length: Int): Unit =
    System.arraycopy(bytes, taken(length), target, start, length)

  override def skipFixed(length: Int): Unit = {
    val _ = taken(length)
  }

  override def readEnum(): Int = readInt()

  override def readIndex(): Int = readInt()

  override def readArrayStart(): Long = items()

  override def arrayNext(): Long = items()

  override def skipArray(): Long = skipItems()

  override def readMapStart(): Long = items()

  override def mapNext(): Long = items()

  override def skipMap(): Long = skipItems()

  /** The number of items of a block. A negative one is followed by the block's length in bytes. */
  private def items(): Long = {
    val count = readLong()
    val number = if (count < 0) {
      readLong()
      -count
    } else count
    if (number < 0 || number > left.toLong + WithoutBytes) throw tooShort(number, "items")
    number
  }

  private def skipItems(): Long = {
    var count = readLong()
    while (count < 0) {
      val length = readLong()
      if (length < 0 || length > left) throw tooShort(length, "bytes")
      val _ = taken(length.toInt)
      count = readLong()
    }
    if (count > left.toLong + WithoutBytes) throw tooShort(count, "items")
    count
  }

  private def readLength(): Int = {
    val length = readLong()
    if (length < 0 || length > left) throw tooShort(length, "bytes")
    length.toInt
  }

  /** The position of so many bytes, which are used now. */
  private def taken(count: Int): Int = {
    val start = position
    if (count > bytes.length - start) throw tooShort(count.toLong, "bytes")
    position = start + count
    start
  }

  private def tooShort(count: Long, what: String) =
    new EOFException(s"$count $what follow, by the schema, and $left bytes are left")
}

private object AvroBytes {

  /** The tenth byte of a number has its last bit. */
  private val LastShift = 63

  /** Items of a block that need no byte, such as nulls. */
  private val WithoutBytes = 1024
}
