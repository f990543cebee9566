package org.apache.spark.eventhubs.amqp

import java.nio.charset.StandardCharsets.{ISO_8859_1, UTF_8}
import java.util.{Date, Map => JavaMap}

/**
 * Appends AMQP 1.0 values (specification, part 1) to an array that grows, each in its shortest encoding. Used by one
 * thread at a time.
 */
private[eventhubs] final class AmqpWriter(firstCapacity: Int) {
  import AmqpWriter._

  private var buffer = new Array[Byte](firstCapacity)
  private var end = 0

  def length: Int = end

  /** The writer's own array. Its first [[length]] bytes are written. */
  def array: Array[Byte] = buffer

  /** Continues in this array if it is larger than the current one. */
  def moveTo(larger: Array[Byte]): Unit = if (larger.length > buffer.length) {
    System.arraycopy(buffer, 0, larger, 0, end)
    buffer = larger
  }

  /** Removes everything after the first `length` bytes. */
  def truncate(length: Int): Unit = end = length

  /** The descriptor of a message section. The section's content follows. */
  def section(code: Byte): Unit = {
    reserve(3)
    buffer(end) = 0
    buffer(end + 1) = SmallUlong
    buffer(end + 2) = code
    end += 3
  }

  def binary(bytes: Array[Byte]): Unit = variable(Binary8, Binary32, bytes)

  def binary(body: OutgoingBody): Unit = {
    beginVariable(Binary8, Binary32, body.length)
    body.writeTo(buffer, end)
    end += body.length
  }

  def string(text: String): Unit = variable(String8, String32, text.getBytes(UTF_8))

  /** Symbols are ASCII. Characters outside ISO 8859-1 become question marks. */
  def symbol(text: String): Unit = variable(Symbol8, Symbol32, text.getBytes(ISO_8859_1))

  def nullValue(): Unit = byte(Null)

  /** A string, or AMQP's null for None. */
  def stringOrNull(text: Option[String]): Unit = if (text.isEmpty) nullValue() else string(text.get)

  /**
   * The value of an application property. AMQP allows null, and an event that was received may have one.
   *
   * @throws java.lang.IllegalArgumentException for a type without an AMQP counterpart
   */
  def value(value: AnyRef): Unit = value match {
    case text: String => string(text)
    case bytes: Array[Byte] => binary(bytes)
    case flag: java.lang.Boolean => byte(if (flag) True else False)
    case number: java.lang.Byte => small(ByteType, number)
    case number: java.lang.Short =>
      byte(ShortType)
      fixed(number.toLong, 2)
    case number: java.lang.Integer =>
      if (fitsByte(number.toLong)) small(SmallInt, number.toByte) else wide(IntType, number.toLong, 4)
    case number: java.lang.Long => if (fitsByte(number)) small(SmallLong, number.toByte) else wide(LongType, number, 8)
    case number: java.lang.Float => wide(FloatType, java.lang.Float.floatToRawIntBits(number).toLong, 4)
    case number: java.lang.Double => wide(DoubleType, java.lang.Double.doubleToRawLongBits(number), 8)
    case time: Date => wide(Timestamp, time.getTime, 8)
    case null => nullValue()
    case other => throw new IllegalArgumentException(s"no AMQP type for ${other.getClass.getName}")
  }

  /** Values that keep their width, so that others can take their place. */
  def fixedShort(content: Short): Unit = wide(ShortType, content.toLong, 2)

  def fixedInt(content: Int): Unit = wide(IntType, content.toLong, 4)

  def fixedLong(content: Long): Unit = wide(LongType, content, 8)

  /** A map with string keys. `more` replaces an entry of the same name. */
  def map(entries: JavaMap[String, AnyRef], more: Option[StampProperty]): Unit = {
    val start = beginCompound()
    val hidden = if (more.isEmpty) null else more.get.name.text
    var count = 0
    if (!entries.isEmpty)
      entries.forEach { (name, content) =>
        if (name != hidden) {
          string(name)
          value(content)
          count += 1
        }
      }
    if (more.isDefined) {
      val stamp = more.get
      variable(String8, String32, stamp.name.utf8)
      binary(stamp.bytes)
      count += 1
    }
    endCompound(start, Map8, Map32, 2 * count)
  }

  /**
   * Starts a list or map, whose size is known only at its end. [[endCompound]] writes the size.
   *
   * @return argument for `endCompound`
   */
  def beginCompound(): Int = {
    val start = end
    reserve(WideCompound)
    end += WideCompound
    start
  }

  /** Ends a list or map of `count` values; a map has two values for each entry. */
  def endCompound(start: Int, code8: Byte, code32: Byte, count: Int): Unit = {
    val size = end - start - WideCompound
    if (size + 1 <= MaxUnsignedByte && count <= MaxUnsignedByte) {
      moveBack(start + WideCompound, start + 3)
      buffer(start) = code8
      buffer(start + 1) = (size + 1).toByte
      buffer(start + 2) = count.toByte
    } else {
      buffer(start) = code32
      putInt(start + 1, size + 4)
      putInt(start + 5, count)
    }
  }

  /** Bytes that are encoded already. */
  def encoded(bytes: Array[Byte]): Unit = {
    reserve(bytes.length)
    System.arraycopy(bytes, 0, buffer, end, bytes.length)
    end += bytes.length
  }

  /** Starts a Data section whose content is the next `length` bytes. */
  def beginData(length: Int): Unit = {
    section(AmqpWriter.DataSection)
    beginVariable(Binary8, Binary32, length)
  }

  /** Starts a Data section whose content ends at [[endData]]. */
  def beginData(): Int = {
    val start = end
    section(AmqpWriter.DataSection)
    reserve(WideBinary)
    end += WideBinary
    start
  }

  def endData(start: Int): Unit = {
    val content = start + 3 + WideBinary
    val size = end - content
    if (size <= MaxUnsignedByte) {
      moveBack(content, start + 5)
      buffer(start + 3) = Binary8
      buffer(start + 4) = size.toByte
    } else {
      buffer(start + 3) = Binary32
      putInt(start + 4, size)
    }
  }

  private def moveBack(from: Int, to: Int): Unit = {
    System.arraycopy(buffer, from, buffer, to, end - from)
    end -= from - to
  }

  private def variable(code8: Byte, code32: Byte, bytes: Array[Byte]): Unit = {
    beginVariable(code8, code32, bytes.length)
    System.arraycopy(bytes, 0, buffer, end, bytes.length)
    end += bytes.length
  }

  /** Writes code and length, and reserves space for the content. */
  private def beginVariable(code8: Byte, code32: Byte, length: Int): Unit = {
    reserve(5 + length)
    if (length <= MaxUnsignedByte) {
      buffer(end) = code8
      buffer(end + 1) = length.toByte
      end += 2
    } else {
      buffer(end) = code32
      putInt(end + 1, length)
      end += 5
    }
  }

  private def byte(content: Byte): Unit = {
    reserve(1)
    buffer(end) = content
    end += 1
  }

  private def small(code: Byte, content: Byte): Unit = {
    byte(code)
    byte(content)
  }

  private def wide(code: Byte, content: Long, width: Int): Unit = {
    byte(code)
    fixed(content, width)
  }

  /** The low bytes, the highest of them first. */
  private def fixed(content: Long, width: Int): Unit = {
    reserve(width)
    var shift = 8 * (width - 1)
    while (shift >= 0) {
      buffer(end) = (content >>> shift).toByte
      end += 1
      shift -= 8
    }
  }

  private def putInt(at: Int, content: Int): Unit = {
    buffer(at) = (content >>> 24).toByte
    buffer(at + 1) = (content >>> 16).toByte
    buffer(at + 2) = (content >>> 8).toByte
    buffer(at + 3) = content.toByte
  }

  private def reserve(more: Int): Unit =
    if (end + more > buffer.length) buffer = java.util.Arrays.copyOf(buffer, math.max(2 * buffer.length, end + more))
}

private[eventhubs] object AmqpWriter {

  val MessageAnnotationsSection: Byte = 0x72
  val PropertiesSection: Byte = 0x73
  val ApplicationPropertiesSection: Byte = 0x74
  val DataSection: Byte = 0x75
  val ValueSection: Byte = 0x77

  val List8: Byte = 0xc0.toByte
  val List32: Byte = 0xd0.toByte
  val Map8: Byte = 0xc1.toByte
  val Map32: Byte = 0xd1.toByte

  private val Null: Byte = 0x40
  private val True: Byte = 0x41
  private val False: Byte = 0x42
  private val ByteType: Byte = 0x51
  private val SmallUlong: Byte = 0x53
  private val SmallInt: Byte = 0x54
  private val SmallLong: Byte = 0x55
  private val ShortType: Byte = 0x61
  private val IntType: Byte = 0x71
  private val FloatType: Byte = 0x72
  private val LongType: Byte = 0x81.toByte
  private val DoubleType: Byte = 0x82.toByte
  private val Timestamp: Byte = 0x83.toByte
  private val Binary8: Byte = 0xa0.toByte
  private val Binary32: Byte = 0xb0.toByte
  private val String8: Byte = 0xa1.toByte
  private val String32: Byte = 0xb1.toByte
  private val Symbol8: Byte = 0xa3.toByte
  private val Symbol32: Byte = 0xb3.toByte

  private val MaxUnsignedByte = 0xff

  /** Bytes before the content of a list or map in the wide encoding: code, size and count. */
  private val WideCompound = 9

  /** Bytes before the content of binary in the wide encoding: code and size. */
  private val WideBinary = 5

  /** Length of a Data section with `content` bytes. */
  def dataLength(content: Int): Int = 3 + (if (content <= MaxUnsignedByte) 2 else WideBinary) + content

  private def fitsByte(number: Long): Boolean = number == number.toByte
}
