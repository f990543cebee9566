package localhub.browse

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
 */
private[localhub] final case class EventView(
    partition: String,
    position: LogPosition,
    bytes: Int,
    body: EventBody,
    partitionKey: Option[String] = None,
    properties: ujson.Obj = ujson.Obj(),
    systemProperties: ujson.Obj = ujson.Obj(),
    annotations: ujson.Obj = ujson.Obj()
) {

  /** Whether the body, the key or a property contains `text`, ignoring case. */
  def contains(text: String): Boolean = {
    val wanted = text.toLowerCase
    (Iterator(bodyText) ++ partitionKey ++ Iterator(properties, systemProperties, annotations).map(ujson.write(_)))
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
      "offset" -> position.offset.toString,
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

  private def bodyText: String = body match {
    case EventBody.Text(value) => value
    case EventBody.Bytes(base64) => base64
    case EventBody.Value(value) => ujson.write(value)
    case EventBody.Undecodable(reason, base64) => s"$reason\n$base64"
    case EventBody.Truncated(_, text) => text
  }
}
