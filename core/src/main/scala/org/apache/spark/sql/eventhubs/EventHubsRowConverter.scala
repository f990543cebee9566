package org.apache.spark.sql.eventhubs

import org.apache.spark.eventhubs.client.ReceivedEvent
import org.apache.spark.eventhubs.rdd.{EventConverter, OffsetRange}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.unsafe.types.UTF8String

/**
 * Events to rows, building only the columns that are asked for. One row object is reused: Spark projects it into its
 * own form at once, and a copy made here would be made twice.
 *
 * @param columns names of [[EventHubsSchema]], in the order wanted
 */
final case class EventHubsRowConverter(columns: Seq[String]) extends EventConverter[InternalRow] {

  override def open(range: OffsetRange): ReceivedEvent => InternalRow = {
    val properties = new EventProperties
    val cells = columns.map(cell(_, range, properties)).toArray
    val row = new GenericInternalRow(cells.length)
    event => {
      var i = 0
      while (i < cells.length) {
        row.update(i, cells(i)(event))
        i += 1
      }
      row
    }
  }

  private def cell(column: String, range: OffsetRange, properties: EventProperties): ReceivedEvent => Any =
    column match {
      case "body" => _.body
      case "partition" =>
        val id = UTF8String.fromString(range.partitionId.toString)
        _ => id
      case "offset" => event => UTF8String.fromString(event.offset)
      case "sequenceNumber" => _.sequenceNumber
      case "enqueuedTime" => event => event.enqueuedMillis * 1000
      case "publisher" => event => text(event.publisher)
      case "partitionKey" => new LastKey
      case "properties" => properties.ofApplication
      case "systemProperties" => properties.ofSystem
      case unknown => throw new IllegalArgumentException(s"'$unknown' is not a column of an event hub")
    }

  private def text(value: String): UTF8String = if (value eq null) null else UTF8String.fromString(value)

  /** Neighbouring events often have the same key, as the same object or an equal one: its text is encoded once. */
  private final class LastKey extends (ReceivedEvent => Any) {
    private var lastKey = ""
    private var lastText = UTF8String.EMPTY_UTF8

    override def apply(event: ReceivedEvent): Any = {
      val key = event.partitionKey
      if (key eq null) null
      else {
        if (key != lastKey) {
          lastText = UTF8String.fromString(key)
          lastKey = key
        }
        lastText
      }
    }
  }
}
