package org.apache.spark.eventhubs

import java.time.Instant
import java.time.format.{DateTimeFormatter, DateTimeFormatterBuilder}
import java.util.Locale

import scala.util.Try

/**
 * Parses positions as users write them: a word, a sequence number, a time, or the legacy connector's JSON.
 * A `Left` is the expected value, for an error text after "expected".
 */
private[eventhubs] object PositionParser {

  val Expected: String =
    "\"earliest\", \"latest\", a sequence number, a time with its zone such as 2024-01-31T12:00:00Z, " +
      "or JSON such as {\"offset\":null,\"seqNo\":100,\"enqueuedTime\":null,\"isInclusive\":true}"

  /** The checkpoints in `eventhubs.checkpointStore.container`. */
  val StoreWord = "checkpointStore"

  // Python's isoformat ends in "+00:00", its %z in "+0000", and str(datetime) has a space between day and hour.
  private val timeFormat: DateTimeFormatter = new DateTimeFormatterBuilder()
    .parseCaseInsensitive()
    .append(DateTimeFormatter.ISO_LOCAL_DATE_TIME)
    .appendPattern("[XXX][XX]")
    .toFormatter(Locale.ROOT)

  def parse(text: String): Either[String, EventPosition] =
    if (text.trim.startsWith("{") || text.trim.startsWith("\"")) PositionJson.parse(text)
    else parseWord(text.trim)

  /** Any form except JSON. */
  def parseWord(text: String): Either[String, EventPosition] =
    boundary(text)
      .orElse(Option.when(text.equalsIgnoreCase(StoreWord))(EventPosition.CheckpointStore))
      .orElse(sequenceNumber(text))
      .orElse(time(text).map(EventPosition.AtEnqueuedTime(_, inclusive = true)))
      .toRight(Expected)

  /** The words for the ends of a partition, including those of the Event Hubs SDKs. */
  def boundary(text: String): Option[EventPosition] = text.toLowerCase(Locale.ROOT) match {
    case "earliest" | EventPosition.StartOffset => Some(EventPosition.StartOfStream)
    case "latest" | EventPosition.EndOffset => Some(EventPosition.EndOfStream)
    case _ => None
  }

  /**
   * None without a zone, which would be ambiguous. Fractions of a second may have up to 9 digits. The legacy connector
   * read 6 digits as milliseconds.
   */
  def time(text: String): Option[Instant] =
    Try(Instant.from(timeFormat.parse(text.trim.replace(' ', 'T')))).toOption

  private def sequenceNumber(text: String): Option[EventPosition] =
    text.toLongOption.filter(_ >= 0).map(EventPosition.AtSequenceNumber(_, inclusive = true))
}
