package localhub.browse

import java.nio.ByteBuffer
import java.nio.charset.{CharacterCodingException, StandardCharsets}
import java.time.Instant
import java.util.{Base64, Date}

import scala.jdk.CollectionConverters._

import org.apache.qpid.proton.amqp._

/** AMQP values as JSON for display: exact where JSON allows it, else as text. */
private[browse] object AmqpJson {
  private val LargestExact = 1L << 53

  def apply(value: Any): ujson.Value = Option(value).fold[ujson.Value](ujson.Null)(present)

  private def present(value: Any): ujson.Value = value match {
    case text: String => ujson.Str(text)
    case yes: java.lang.Boolean => ujson.Bool(yes)
    case number @ (_: java.lang.Float | _: java.lang.Double) => decimal(number.asInstanceOf[Number].doubleValue)
    case number @ (_: java.lang.Byte | _: java.lang.Short | _: java.lang.Integer | _: java.lang.Long) =>
      whole(number.asInstanceOf[Number].longValue)
    case number @ (_: UnsignedByte | _: UnsignedShort | _: UnsignedInteger) =>
      whole(number.asInstanceOf[Number].longValue)
    case time: Date => ujson.Str(Instant.ofEpochMilli(time.getTime).toString)
    case binary: Binary => bytes(binary)
    case described: DescribedType =>
      ujson.Obj("descriptor" -> apply(described.getDescriptor), "value" -> apply(described.getDescribed))
    case map: java.util.Map[_, _] => ujson.Obj.from(map.asScala.map { case (key, each) => s"$key" -> apply(each) })
    case list: java.util.List[_] => ujson.Arr.from(list.asScala.map(apply))
    case array: Array[_] => ujson.Arr.from(array.map(apply))
    case other => ujson.Str(other.toString)
  }

  /** A string if it is UTF-8, else an object with `base64`. */
  private def bytes(binary: Binary): ujson.Value = {
    val content = copy(binary)
    utf8(content).fold[ujson.Value](ujson.Obj("base64" -> base64(content)))(ujson.Str(_))
  }

  def copy(binary: Binary): Array[Byte] =
    java.util.Arrays.copyOfRange(binary.getArray, binary.getArrayOffset, binary.getArrayOffset + binary.getLength)

  def utf8(content: Array[Byte]): Option[String] =
    try Some(StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(content)).toString)
    catch { case _: CharacterCodingException => None }

  def base64(content: Array[Byte]): String = Base64.getEncoder.encodeToString(content)

  def whole(value: Long): ujson.Value =
    if (math.abs(value) <= LargestExact) ujson.Num(value.toDouble) else ujson.Str(value.toString)

  def decimal(value: Double): ujson.Value =
    // With its fraction, so that a reader sees a number of this type.
    if (value.isNaN || value.isInfinite) ujson.Str(value.toString) else new ExactNumber(value.toString)
}
