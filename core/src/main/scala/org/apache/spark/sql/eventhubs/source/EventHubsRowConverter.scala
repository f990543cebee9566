package org.apache.spark.sql.eventhubs.source

import org.apache.spark.eventhubs.amqp.ReceivedEvent
import org.apache.spark.eventhubs.rdd.{EventConverter, OffsetRange}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.unsafe.types.UTF8String

/**
 * Shows events as rows whose columns are decoded on demand.
 *
 * @param columns names of [[EventHubsSchema]], in the order of the result
 */
private[eventhubs] final case class EventHubsRowConverter(columns: Seq[String]) extends EventConverter[InternalRow] {

  override def open(range: OffsetRange): ReceivedEvent => InternalRow = {
    val row = new EventHubsRow(columns.map(cell(_, range)).toArray)
    row.of(_)
  }

  private def cell(column: String, range: OffsetRange): ReceivedEvent => Any =
    column match {
      case "body" => _.body
      case "partition" =>
        val id = UTF8String.fromString(range.partitionId.toString)
        _ => id
      case "eventHub" =>
        val name = UTF8String.fromString(range.name)
        _ => name
      case "offset" => _.offsetText
      case "sequenceNumber" => _.sequenceNumber
      case "enqueuedTime" => _.enqueuedMillis * 1000
      case "publisher" => _.publisherText
      case "partitionKey" => _.partitionKeyText
      case "properties" => EventProperties.ofApplication()
      case "systemProperties" => EventProperties.ofSystem()
      case unknown => throw new IllegalArgumentException(s"'$unknown' is not a column of an event hub")
    }
}
