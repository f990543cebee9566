package org.apache.spark.eventhubs.amqp

import java.lang.{Boolean => JavaBoolean, Double => JavaDouble, Float => JavaFloat, Number}
import java.nio.charset.StandardCharsets.UTF_8
import java.time.format.{DateTimeFormatter, DateTimeFormatterBuilder}
import java.time.{Instant, OffsetDateTime, ZoneOffset}
import java.util.{Collection => JavaCollection, Date, Map => JavaMap}

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.core.io.JsonStringEncoder
import org.apache.qpid.proton.amqp.{Binary, Decimal128, Decimal32, Decimal64, DescribedType}

/**
 * Converts AMQP values to the text of the columns `properties` and `systemProperties`, as the legacy connector does:
 * strings as they are, binary as a JSON array of signed bytes, times as quoted ISO text, the rest as JSON. UUIDs,
 * unsigned numbers and symbols in annotations, which the legacy connector shows as `{}`, become their text.
 */
private[spark] object AmqpText {

  def of(value: Any): String = value match {
    case text: String => text
    case bytes: Array[Byte] => bytes.mkString("[", ",", "]")
    case binary: Binary => bytesOf(binary).mkString("[", ",", "]")
    case described: DescribedType => of(described.getDescribed)
    case other => json(other)
  }

  /** A body that is a value other than null, as UTF-8 text. A binary value stays binary. */
  def ofValue(value: Any): Array[Byte] = value match {
    case binary: Binary => bytesOf(binary)
    case other => of(other).getBytes(UTF_8)
  }

  /** A body of sequence sections, as one JSON array of all items, just as several Data sections are one content. */
  def ofSequences(sections: Seq[JavaCollection[_]]): Array[Byte] =
    sections.flatMap(_.asScala.map(nested)).mkString("[", ",", "]").getBytes(UTF_8)

  private def json(value: Any): String = value match {
    case null => "null"
    case number: JavaDouble => floating(number.doubleValue)
    case number: JavaFloat => floating(number.doubleValue)
    case flag: JavaBoolean => flag.toString
    case decimal: Decimal32 => decimal.getBits.toString
    case decimal: Decimal64 => decimal.getBits.toString
    case decimal: Decimal128 => decimal.asBytes.mkString("[", ",", "]")
    case number: Number => number.toString
    case time: Date => quoted(Time.format(time.toInstant.atOffset(ZoneOffset.UTC)))
    case time: Instant => quoted(Time.format(time.atOffset(ZoneOffset.UTC)))
    case time: OffsetDateTime => quoted(Time.format(time.withOffsetSameInstant(ZoneOffset.UTC)))
    case map: JavaMap[_, _] =>
      map.asScala.map { case (key, item) => s"${quoted(of(key))}:${nested(item)}" }.mkString("{", ",", "}")
    case items: JavaCollection[_] => items.asScala.map(nested).mkString("[", ",", "]")
    case items: Array[_] => items.map(nested).mkString("[", ",", "]")
    // Symbols, characters, UUIDs.
    case other => other.toString
  }

  private def nested(value: Any): String = value match {
    case null | _: Number | _: JavaBoolean | _: JavaMap[_, _] | _: JavaCollection[_] | _: Array[_] | _: Date |
        _: Instant | _: OffsetDateTime =>
      json(value)
    case binary: Binary => of(binary)
    case other => quoted(other.toString)
  }

  private def floating(number: Double): String =
    if (number.isNaN) "null" else if (number.isInfinite) quoted(number.toString) else number.toString

  private def quoted(text: String): String = "\"" + new String(JsonStringEncoder.getInstance.quoteAsString(text)) + "\""

  private def bytesOf(binary: Binary): Array[Byte] =
    java.util.Arrays.copyOfRange(binary.getArray, binary.getArrayOffset, binary.getArrayOffset + binary.getLength)

  private val Time: DateTimeFormatter =
    new DateTimeFormatterBuilder().appendPattern("yyyy-MM-dd'T'HH:mm:ss.SSS'Z'").toFormatter
}
