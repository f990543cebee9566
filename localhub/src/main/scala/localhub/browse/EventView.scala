package localhub.browse

import localhub.log.LogPosition

/** What an event carries. */
sealed trait EventBody
object EventBody {
  final case class Text(value: String) extends EventBody

  /** Not UTF-8; in Base64. */
  final case class Bytes(base64: String) extends EventBody

  /** An AMQP value or sequence section. */
  final case class Value(value: ujson.Value) extends EventBody
  final case class Undecodable(reason: String, base64: String) extends EventBody

  /** How a long one begins. */
  final case class Beginning(kind: String, text: String) extends EventBody
}

/**
 * A stored event for people to look at.
 *
 * @param bytes       as stored, annotations and all
 * @param annotations those of the message that have no place of their own here
 */
final case class EventView(
    partition: String,
    position: LogPosition,
    bytes: Int,
    body: EventBody,
    partitionKey: Option[String] = None,
    properties: ujson.Obj = ujson.Obj(),
    systemProperties: ujson.Obj = ujson.Obj(),
    annotations: ujson.Obj = ujson.Obj()
) {

  /** Whether the body, the key or a property has `text` in it, without regard to case. */
  def contains(text: String): Boolean = {
    val wanted = text.toLowerCase
    (Iterator(bodyText) ++ partitionKey ++ Iterator(properties, systemProperties, annotations).map(ujson.write(_)))
      .exists(_.toLowerCase.contains(wanted))
  }

  /** The same without what a body has beyond so many characters, so that a list of many holds little. */
  def cut(maxBody: Int): EventView = {
    val text = bodyText
    if (text.length <= maxBody) this else copy(body = EventBody.Beginning(bodyKind, text.take(maxBody)))
  }

  /** What is cut is marked. */
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
      "bodyTruncated" -> isCut,
      "properties" -> properties,
      "systemProperties" -> systemProperties,
      "annotations" -> annotations
    )

  private def isCut: Boolean = body match {
    case _: EventBody.Beginning => true
    case _ => false
  }

  private def bodyKind: String = body match {
    case _: EventBody.Text => "text"
    case _: EventBody.Bytes => "base64"
    case _: EventBody.Value => "amqp-value"
    case _: EventBody.Undecodable => "undecodable"
    case EventBody.Beginning(kind, _) => kind
  }

  private def bodyText: String = body match {
    case EventBody.Text(value) => value
    case EventBody.Bytes(base64) => base64
    case EventBody.Value(value) => ujson.write(value)
    case EventBody.Undecodable(reason, base64) => s"$reason\n$base64"
    case EventBody.Beginning(_, text) => text
  }
}
