package org.apache.spark.eventhubs.amqp

import java.nio.charset.StandardCharsets.US_ASCII
import java.util.Arrays

import scala.annotation.tailrec

/**
 * Finds and reads values in AMQP 1.0 encoding (specification, part 1) without an object for each. A value's position is
 * the index of its first byte, its constructor, which gives the encoding.
 *
 * For bytes that are not AMQP, every method ends with a [[MalformedMessageException]] or an IndexOutOfBoundsException.
 */
private[eventhubs] object AmqpReader {

  private val Described = 0x00
  private val SmallUlong = 0x53
  private val Ulong = 0x80

  /** Position after the value. */
  @tailrec
  def end(bytes: Array[Byte], at: Int): Int = {
    val code = bytes(at)
    (code >> 4) & 0xf match {
      case 0x0 if code == Described => end(bytes, descriptorEnd(bytes, at))
      case 0x4 => checked(bytes, at, 1)
      case 0x5 => checked(bytes, at, 2)
      case 0x6 => checked(bytes, at, 3)
      case 0x7 => checked(bytes, at, 5)
      case 0x8 => checked(bytes, at, 9)
      case 0x9 => checked(bytes, at, 17)
      case 0xa | 0xc | 0xe => checked(bytes, at, 2L + (bytes(at + 1) & 0xff))
      case 0xb | 0xd | 0xf => checked(bytes, at, 5L + size(bytes, at + 1))
      case _ => throw malformed(bytes, at)
    }
  }

  def isDescribed(bytes: Array[Byte], at: Int): Boolean = bytes(at) == Described

  /** Position of the described value. */
  def descriptorEnd(bytes: Array[Byte], at: Int): Int = {
    if (bytes(at + 1) == Described) throw malformed(bytes, at)
    end(bytes, at + 1)
  }

  /** The descriptor of a described value if it is a number, as AMQP's own are; otherwise -1. */
  def descriptor(bytes: Array[Byte], at: Int): Long = bytes(at + 1) match {
    case SmallUlong => bytes(at + 2) & 0xffL
    case code if (code & 0xff) == Ulong => fixed(bytes, at + 2, 8)
    case _ => -1
  }

  /** Number of items of a map or list, two for each entry of a map; 0 for null. */
  def count(bytes: Array[Byte], at: Int): Int = (bytes(at) >> 4) & 0xf match {
    case 0x4 => 0
    case 0xc => bytes(at + 2) & 0xff
    case 0xd => fixed(bytes, at + 5, 4).toInt
    case _ => throw malformed(bytes, at)
  }

  /** Position of the first item. */
  def firstItem(bytes: Array[Byte], at: Int): Int = if (((bytes(at) >> 4) & 0xf) == 0xc) at + 3 else at + 9

  def isNull(bytes: Array[Byte], at: Int): Boolean = bytes(at) == 0x40

  def isString(bytes: Array[Byte], at: Int): Boolean = bytes(at) == 0xa1.toByte || bytes(at) == 0xb1.toByte

  def isSymbol(bytes: Array[Byte], at: Int): Boolean = bytes(at) == 0xa3.toByte || bytes(at) == 0xb3.toByte

  def isBinary(bytes: Array[Byte], at: Int): Boolean = bytes(at) == 0xa0.toByte || bytes(at) == 0xb0.toByte

  /** Position of the content of a string, a symbol or binary. */
  def content(bytes: Array[Byte], at: Int): Int = if (((bytes(at) >> 4) & 0xf) == 0xa) at + 2 else at + 5

  /** Length of that content in bytes. */
  def contentLength(bytes: Array[Byte], at: Int): Int =
    if (((bytes(at) >> 4) & 0xf) == 0xa) bytes(at + 1) & 0xff else size(bytes, at + 1).toInt

  /** Whether a string, a symbol or binary has this content. */
  def hasContent(bytes: Array[Byte], at: Int, wanted: Array[Byte]): Boolean =
    contentLength(bytes, at) == wanted.length && {
      val from = content(bytes, at)
      Arrays.equals(bytes, from, from + wanted.length, wanted, 0, wanted.length)
    }

  def ascii(bytes: Array[Byte], at: Int): String =
    new String(bytes, content(bytes, at), contentLength(bytes, at), US_ASCII)

  /** An integer or a timestamp of any width. */
  def integer(bytes: Array[Byte], at: Int): Long = bytes(at) & 0xff match {
    case 0x81 | 0x80 | 0x83 => fixed(bytes, at + 1, 8)
    case 0x55 | 0x54 | 0x51 => bytes(at + 1).toLong
    case 0x53 | 0x52 | 0x50 => bytes(at + 1) & 0xffL
    case 0x44 | 0x43 => 0
    case 0x71 => fixed(bytes, at + 1, 4).toInt.toLong
    case 0x70 => fixed(bytes, at + 1, 4)
    case 0x61 => fixed(bytes, at + 1, 2).toShort.toLong
    case 0x60 => fixed(bytes, at + 1, 2)
    case _ => throw malformed(bytes, at)
  }

  def malformed(bytes: Array[Byte], at: Int): MalformedMessageException =
    new MalformedMessageException(
      s"byte ${at + 1} of its ${bytes.length} bytes does not start the expected AMQP value"
    )

  private def checked(bytes: Array[Byte], at: Int, length: Long): Int = {
    val end = at + length
    if (end > bytes.length) throw malformed(bytes, at)
    end.toInt
  }

  private def size(bytes: Array[Byte], at: Int): Long = fixed(bytes, at, 4)

  /** Big-endian and unsigned, except for 8 bytes, which make a signed long. */
  private def fixed(bytes: Array[Byte], at: Int, width: Int): Long = {
    var value = 0L
    var i = 0
    while (i < width) {
      value = (value << 8) | (bytes(at + i) & 0xff)
      i += 1
    }
    value
  }
}

/** The service delivered something that is not an event hub's AMQP message. */
private[eventhubs] final class MalformedMessageException(message: String) extends RuntimeException(message)
