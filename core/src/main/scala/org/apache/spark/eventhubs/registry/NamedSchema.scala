package org.apache.spark.eventhubs.registry

import java.nio.charset.StandardCharsets.{ISO_8859_1, UTF_8}
import java.util.Locale

import scala.util.Try

/**
 * The schema that an event names.
 *
 * @param isJson whether the body is JSON; else it is Avro's binary encoding
 */
private[spark] final case class NamedSchema(id: SchemaId, isJson: Boolean)

/**
 * Finds the id of a schema in the places where Azure's clients write it: the content type, Kafka's headers
 * `content-type` and `schemaId`, and the beginning of the body.
 */
private[spark] object NamedSchema {

  /** The content type of an event, and the header in which Kafka clients write it. */
  val ContentType = "content-type"

  /** Kafka's header with the id of a JSON schema. */
  val JsonIdHeader = "schemaId"

  /** Bytes before an Avro body of the first clients: four zeros and the id. */
  val PreambleLength: Int = 4 + SchemaId.Length

  private val Kinds = Map("avro/binary" -> false, "application/json;serialization=json" -> true)

  /** The serializer of JavaScript 1.0 leaves the middle out. */
  private val PlainJson = "application/json"

  /** What a text of an event says: nothing, a schema, or what is wrong with it. */
  type Found = Option[Either[String, NamedSchema]]

  def ofContentType(text: String): Found = {
    val plain = unwrapped(text)
    val plus = plain.lastIndexOf('+')
    val kind = if (plus < 0) plain else plain.take(plus)
    val normalized = kind.filterNot(_.isWhitespace).toLowerCase(Locale.ROOT)
    val id = if (plus < 0) None else SchemaId.parse(plain.drop(plus + 1).trim)
    if (normalized == PlainJson) id.map(known => Right(NamedSchema(known, isJson = true)))
    else
      Kinds.get(normalized).map { isJson =>
        id.map(NamedSchema(_, isJson)).toRight(s"the content type '${shown(plain)}' has no id of 32 hexadecimal digits")
      }
  }

  /** Of the header [[JsonIdHeader]]. */
  def ofHeader(text: String): Found = {
    val plain = unwrapped(text)
    val id = SchemaId.parse(plain.trim)
    Some(id.map(NamedSchema(_, isJson = true)).toRight(s"the header 'schemaId' is '${shown(plain)}', which is no id"))
  }

  /** Of the beginning of a body. */
  def ofBody(body: Array[Byte]): Found =
    if (body.length < PreambleLength || !startsWithZeros(body, 4)) None
    else
      SchemaId.parse(new String(body, 4, SchemaId.Length, ISO_8859_1)).map(id => Right(NamedSchema(id, isJson = false)))

  /** Why an event names no schema. */
  def missing(contentType: Option[String], body: Array[Byte]): String = {
    val type_ =
      contentType.map(unwrapped).fold("it has no content type")(text => s"its content type is '${shown(text)}'")
    // Their clients write a zero and a number before the value.
    val mayBeConfluents = body.length > 5 && body(0) == 0
    if (mayBeConfluents) s"$type_, and its body begins with a zero, as those of Confluent's registry do" else type_
  }

  /** Binary properties are in the columns as JSON arrays of signed bytes. */
  private def unwrapped(text: String): String =
    if (!text.startsWith("[") || !text.endsWith("]")) text
    else {
      val numbers = text.substring(1, text.length - 1).split(',').toSeq
      Try(numbers.map(_.trim.toByte).toArray).toOption.fold(text)(new String(_, UTF_8))
    }

  private def startsWithZeros(body: Array[Byte], count: Int): Boolean = (0 until count).forall(body(_) == 0)

  private def shown(text: String): String = if (text.length <= LongestShown) text else s"${text.take(LongestShown)}…"

  private val LongestShown = 100
}
