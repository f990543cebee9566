package org.apache.spark.eventhubs

import java.time.format.DateTimeFormatter
import java.time.temporal.ChronoUnit
import java.time.{Instant, ZoneOffset}
import java.util.Locale

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.JsonNode

/**
 * The legacy connector's JSON of a position: `{"offset":null,"seqNo":100,"enqueuedTime":null,"isInclusive":true}`.
 * Fields may be missing, and numbers and text are interchangeable, because existing notebooks use all these forms.
 * If several fields are set, the legacy connector's order applies: sequence number, offset, time.
 */
private[eventhubs] object PositionJson {

  private val FieldNames = Seq("offset", "seqNo", "enqueuedTime", "isInclusive")

  def parse(text: String): Either[String, EventPosition] =
    Json.read(text).left.map(wrong).flatMap(fromNode)

  /** An object, a sequence number, or text that is a position. */
  def fromNode(node: JsonNode): Either[String, EventPosition] =
    if (node.isObject) fromObject(node)
    else if (node.isTextual) PositionParser.parse(node.asText)
    else if (node.isIntegralNumber && node.canConvertToLong && node.asLong >= 0)
      Right(EventPosition.AtSequenceNumber(node.asLong, inclusive = true))
    else Left(wrong(s"$node is not a position"))

  def render(position: EventPosition): String = {
    val node = Json.mapper.createObjectNode
    def write(offset: Option[String], seqNo: Long, time: Option[String], inclusive: Boolean): Unit = {
      offset.fold(node.putNull("offset"))(node.put("offset", _))
      node.put("seqNo", seqNo)
      time.fold(node.putNull("enqueuedTime"))(node.put("enqueuedTime", _))
      node.put("isInclusive", inclusive)
      ()
    }
    position match {
      case EventPosition.StartOfStream => write(Some(EventPosition.StartOffset), -1, None, inclusive = true)
      case EventPosition.EndOfStream => write(Some(EventPosition.EndOffset), -1, None, inclusive = false)
      case EventPosition.AtSequenceNumber(number, inclusive) => write(None, number, None, inclusive)
      case EventPosition.AtOffset(offset, inclusive) => write(Some(offset), -1, None, inclusive)
      case EventPosition.AtEnqueuedTime(time, inclusive) => write(None, -1, Some(timeText(time)), inclusive)
      case EventPosition.CheckpointStore => ()
    }
    // It has no field: the legacy connector did not know it.
    if (position == EventPosition.CheckpointStore) Json.mapper.writeValueAsString(PositionParser.StoreWord)
    else node.toString
  }

  private def fromObject(node: JsonNode): Either[String, EventPosition] = {
    val set = node.properties.asScala
      .filterNot(_.getValue.isNull)
      .map(field => field.getKey.toLowerCase(Locale.ROOT) -> field.getValue)
      .toMap
    val known = FieldNames.map(_.toLowerCase(Locale.ROOT))
    node.fieldNames.asScala.find(name => !known.contains(name.toLowerCase(Locale.ROOT))) match {
      case Some(name) => Left(wrong(s"'$name' is not one of the fields ${FieldNames.mkString(", ")}"))
      case None =>
        for {
          inclusive <- inclusive(set.get("isinclusive"))
          bySequenceNumber <- sequenceNumber(set.get("seqno"), inclusive)
          byTime <- enqueuedTime(set.get("enqueuedtime"), inclusive)
          byOffset = set.get("offset").flatMap(offset(_, inclusive))
          position <- bySequenceNumber.orElse(byOffset).orElse(byTime).toRight(wrong("no field is set"))
        } yield position
    }
  }

  private def inclusive(field: Option[JsonNode]): Either[String, Boolean] =
    field.map(_.asText.toLowerCase(Locale.ROOT)) match {
      case None => Right(true)
      case Some(text) => text.toBooleanOption.toRight(wrong(s"isInclusive is '$text', not true or false"))
    }

  private def sequenceNumber(field: Option[JsonNode], inclusive: Boolean): Either[String, Option[EventPosition]] =
    field.map(_.asText.trim) match {
      case None | Some("-1") => Right(None)
      case Some(text) =>
        text.toLongOption.filter(_ >= 0)
          .map(number => Some(EventPosition.AtSequenceNumber(number, inclusive)))
          .toRight(wrong(s"seqNo is '$text', not a whole number (0 or more)"))
    }

  private def enqueuedTime(field: Option[JsonNode], inclusive: Boolean): Either[String, Option[EventPosition]] =
    field.map(_.asText) match {
      case None => Right(None)
      case Some(text) =>
        PositionParser.time(text)
          .map(time => Some(EventPosition.AtEnqueuedTime(time, inclusive)))
          .toRight(wrong(s"enqueuedTime is '$text', not a time with its zone such as 2024-01-31T12:00:00.000Z"))
    }

  private def offset(field: JsonNode, inclusive: Boolean): Option[EventPosition] = {
    val text = field.asText.trim
    PositionParser.boundary(text).orElse(Option.when(text.nonEmpty)(EventPosition.AtOffset(text, inclusive)))
  }

  /** Milliseconds, as the legacy connector reads them, unless the time is more precise. */
  private def timeText(time: Instant): String =
    if (time == time.truncatedTo(ChronoUnit.MILLIS)) millisFormat.format(time) else time.toString

  private val millisFormat = DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSX").withZone(ZoneOffset.UTC)

  private def wrong(problem: String): String = s"${PositionParser.Expected}; $problem"
}
