package localhub.browse

import java.nio.charset.StandardCharsets.UTF_8
import java.util.{Base64, HexFormat}

import localhub.log.LogPosition

/** The body of an event for display. */
private[localhub] sealed trait EventBody

private[localhub] object EventBody {
  final case class Text(value: String) extends EventBody

  /** Not UTF-8; in Base64. */
  final case class Bytes(base64: String) extends EventBody

  /** An AMQP value or sequence section. */
  final case class Value(value: ujson.Value) extends EventBody
  final case class Undecodable(reason: String, base64: String) extends EventBody

  /** The beginning of a long body. */
  final case class Truncated(kind: String, text: String) extends EventBody
}

/**
 * A stored event for display.
 *
 * @param bytes       stored size, including annotations
 * @param annotations message annotations that are not in another field
 * @param offsetText  the offset that readers get; in a geo-replicated hub it has the epoch too
 */
private[localhub] final case class EventView(
    partition: String,
    position: LogPosition,
    bytes: Int,
    body: EventBody,
    partitionKey: Option[String] = None,
    properties: ujson.Obj = ujson.Obj(),
    systemProperties: ujson.Obj = ujson.Obj(),
    annotations: ujson.Obj = ujson.Obj(),
    offsetText: Option[String] = None
) {

  /** Whether the body, the key or a property contains `text`, ignoring case. */
  def contains(text: String): Boolean = {
    val wanted = text.toLowerCase
    (Iterator(bodyText) ++ hexText ++ partitionKey ++ Iterator(
      properties,
      systemProperties,
      annotations
    ).map(ExactJson.write(_)))
      .exists(_.toLowerCase.contains(wanted))
  }

  /** This event with at most `maxBody` characters of its body, so that a long list needs little memory. */
  def truncated(maxBody: Int): EventView = {
    val text = bodyText
    if (text.length <= maxBody) this else copy(body = EventBody.Truncated(bodyKind, text.take(maxBody)))
  }

  /** `bodyTruncated` marks a truncated body. */
  def toJson: ujson.Obj =
    ujson.Obj(
      "partition" -> partition,
      "sequenceNumber" -> AmqpJson.whole(position.sequenceNumber),
      "offset" -> ujson.Str(offsetText.getOrElse(position.offset.toString)),
      "enqueuedTime" -> EventDecoder.time(position.enqueuedMillis),
      "partitionKey" -> partitionKey.fold[ujson.Value](ujson.Null)(ujson.Str(_)),
      "bytes" -> bytes,
      "bodyKind" -> bodyKind,
      "body" -> bodyText,
      "bodyTruncated" -> isTruncated,
      "properties" -> properties,
      "systemProperties" -> systemProperties,
      "annotations" -> annotations
    )

  private def isTruncated: Boolean = body match {
    case _: EventBody.Truncated => true
    case _ => false
  }

  private def bodyKind: String = body match {
    case _: EventBody.Text => "text"
    case _: EventBody.Bytes => "base64"
    case _: EventBody.Value => "amqp-value"
    case _: EventBody.Undecodable => "undecodable"
    case EventBody.Truncated(kind, _) => kind
  }

  /** A binary body as the Data Explorer shows it, so that it is found by what is seen. */
  private def hexText: Option[String] = body match {
    case EventBody.Bytes(base64) => Some(EventView.hex(Base64.getDecoder.decode(base64)))
    case EventBody.Text(value) if value.exists(EventView.isControl) => Some(EventView.hex(value.getBytes(UTF_8)))
    case _ => None
  }

  private def bodyText: String = body match {
    case EventBody.Text(value) => value
    case EventBody.Bytes(base64) => base64
    case EventBody.Value(value) => ExactJson.write(value)
    case EventBody.Undecodable(reason, base64) => s"$reason\n$base64"
    case EventBody.Truncated(_, text) => text
  }
}

private[localhub] object EventView {
  private def hex(bytes: Array[Byte]): String = HexFormat.ofDelimiter(" ").formatHex(bytes)

  /** No text format has such a character. */
  private def isControl(character: Char): Boolean = character.isControl && !"\t\n\r".contains(character)
}
