package org.apache.spark.eventhubs.connection.replay

/**
 * Encoded AMQP values in hexadecimal digits, as the service's library encodes them: with every field, and in the
 * shortest encoding. Written by hand, because proton-j leaves trailing nulls out.
 */
object AmqpHex {
  val Null = "40"
  val True = "41"
  val False = "42"

  def hex(bytes: Array[Byte]): String = bytes.map(byte => f"${byte & 0xff}%02x").mkString

  def bytes(digits: String): Array[Byte] =
    digits.filterNot(_.isWhitespace).grouped(2).map(Integer.parseInt(_, 16).toByte).toArray

  def bool(value: Boolean): String = if (value) True else False

  def ubyte(value: Int): String = f"50$value%02x"

  def ushort(value: Int): String = f"60$value%04x"

  def uint(value: Long): String =
    if (value == 0) "43" else if (value < 256) f"52$value%02x" else f"70$value%08x"

  def ulong(value: BigInt): String = f"80${value.toString(16)}%16s".replace(' ', '0')

  def int(value: Int): String = if (value >= -128 && value < 128) f"54${value & 0xff}%02x" else f"71$value%08x"

  def long(value: Long): String = f"81$value%016x"

  def timestamp(millis: Long): String = f"83$millis%016x"

  def str(text: String): String = variable("a1", "b1", text.getBytes("UTF-8"))

  def sym(text: String): String = variable("a3", "b3", text.getBytes("US-ASCII"))

  def binary(content: Array[Byte]): String = variable("a0", "b0", content)

  def list(fields: String*): String = compound("c0", "d0", fields)

  def map(pairs: (String, String)*): String =
    compound("c1", "d1", pairs.flatMap { case (key, value) => Seq(key, value) })

  /** An array of short strings. */
  def strings(texts: Seq[String]): String = {
    val content = texts.map(text => str(text).drop(2)).mkString
    f"e0${content.length / 2 + 2}%02x${texts.size}%02xa1$content"
  }

  def described(code: Int, value: String): String = f"0053$code%02x$value"

  def error(condition: String, text: String): String = described(0x1d, list(sym(condition), str(text), Null))

  private def variable(short: String, long: String, content: Array[Byte]): String =
    if (content.length < 256) f"$short${content.length}%02x${hex(content)}"
    else f"$long${content.length}%08x${hex(content)}"

  private def compound(short: String, long: String, items: Seq[String]): String = {
    val content = items.mkString
    val size = content.length / 2
    if (size + 1 < 256) f"$short${size + 1}%02x${items.size}%02x$content"
    else f"$long${size + 4}%08x${items.size}%08x$content"
  }
}
