package localhub.amqp.event

/** The bytes are not a valid AMQP encoding. */
private[amqp] final class DecodingException(message: String) extends RuntimeException(message)

/**
 * Finds the bounds of encoded AMQP values without decoding them. Every read is checked against the end of the bytes.
 */
private[amqp] object EncodedValue {

  val Described: Int = 0x00
  val SmallUlong: Byte = 0x53

  /** A descriptor can itself be a described value; real clients do not nest them. */
  private val MaxNesting = 16

  /** Where the value that starts at `at` ends. */
  def end(bytes: Array[Byte], at: Int, limit: Int): Int = end(bytes, at, limit, MaxNesting)

  private def end(bytes: Array[Byte], at: Int, limit: Int, depth: Int): Int = {
    val code = unsigned(bytes, at, limit)
    if (depth == 0) throw new DecodingException(s"The value at byte $at is described too many times.")
    if (code == Described) end(bytes, end(bytes, at + 1, limit, depth - 1), limit, depth - 1)
    else {
      val end = at + 1L + contentSize(bytes, code, at, limit)
      if (end > limit)
        throw new DecodingException(s"The value at byte $at ends at byte $end, but there are only $limit.")
      end.toInt
    }
  }

  /** The content of the string, symbol or binary at `at`. */
  def variable(bytes: Array[Byte], at: Int, limit: Int): Range = {
    val last = end(bytes, at, limit)
    val code = bytes(at) & 0xff
    code & 0xf0 match {
      case 0xa0 => at + 2 until last
      case 0xb0 => at + 5 until last
      case _ =>
        throw new DecodingException(f"Expected a string, symbol or binary at byte $at, found constructor 0x$code%02x.")
    }
  }

  /** The unsigned long at `at`, in any of its three encodings; None for another type. */
  def unsignedLong(bytes: Array[Byte], at: Int, limit: Int): Option[Long] = {
    val last = end(bytes, at, limit)
    bytes(at) & 0xff match {
      case 0x44 => Some(0L)
      case 0x53 => Some((bytes(at + 1) & 0xff).toLong)
      case 0x80 => Some((at + 1 until last).foldLeft(0L)((value, i) => (value << 8) | (bytes(i) & 0xff)))
      case _ => None
    }
  }

  /** Position of the first element and number of elements of the map at `at`; keys and values alternate. */
  def mapContent(bytes: Array[Byte], at: Int, limit: Int): (Int, Int) = {
    end(bytes, at, limit)
    bytes(at) & 0xff match {
      case 0xc1 => (at + 3, bytes(at + 2) & 0xff)
      case 0xd1 => (at + 9, int(bytes, at + 5, limit))
      case code => throw new DecodingException(f"Expected a map at byte $at, found constructor 0x$code%02x.")
    }
  }

  // The upper half of a constructor gives the width of the content; compound types (0xC0 and above) follow the same
  // pattern.
  private def contentSize(bytes: Array[Byte], code: Int, at: Int, limit: Int): Long = code >>> 4 match {
    case 0x4 => 0L
    case 0x5 => 1L
    case 0x6 => 2L
    case 0x7 => 4L
    case 0x8 => 8L
    case 0x9 => 16L
    case 0xa | 0xc | 0xe => 1L + unsigned(bytes, at + 1, limit)
    case 0xb | 0xd | 0xf => 4L + (int(bytes, at + 1, limit) & 0xffffffffL)
    case _ => throw new DecodingException(f"0x$code%02x at byte $at is not a constructor of AMQP 1.0.")
  }

  private def unsigned(bytes: Array[Byte], at: Int, limit: Int): Int =
    if (at < limit) bytes(at) & 0xff else throw new DecodingException(s"A value is cut off at byte $at.")

  private def int(bytes: Array[Byte], at: Int, limit: Int): Int =
    if (at + 4 <= limit)
      (bytes(at) & 0xff) << 24 | (bytes(at + 1) & 0xff) << 16 | (bytes(at + 2) & 0xff) << 8 | (bytes(at + 3) & 0xff)
    else throw new DecodingException(s"A size is cut off at byte $at.")
}
