package org.apache.spark.sql.eventhubs.sink

import java.util.{Collections, Date, HashMap => JavaHashMap, Map => JavaMap}

import org.apache.spark.eventhubs.EventHubName
import org.apache.spark.eventhubs.amqp.{EventErrors, OutgoingBody, OutgoingEvent, StampProperty}
import org.apache.spark.eventhubs.options.{WriteDestination, WriteOptions}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.catalyst.util.{ArrayData, DateTimeUtils, MapData}
import org.apache.spark.sql.types._

/**
 * Converts rows to events, for one task. Spark reuses its rows, so an event is valid until the next row. This code runs
 * for each row and avoids closures and tuples, which the JIT compiler does not always eliminate.
 *
 * @param tombstones whether a row without a body becomes a tombstone; otherwise it is an error
 * @param stamp      set in each event
 */
private[eventhubs] final class EventHubsWriteRows(
    columns: EventHubsWriteColumns,
    destination: WriteDestination,
    hub: EventHubName,
    tombstones: Boolean,
    stamp: Option[StampProperty]
) {

  // An option for all rows overrides both columns.
  private val partitionForAll = destination match {
    case WriteDestination.ToPartition(id) => Some(id)
    case _ => None
  }
  private val keyForAll = destination match {
    case WriteDestination.ByKey(key) => Some(key)
    case _ => None
  }
  private val usesColumns = destination == WriteDestination.AnyPartition
  private val propertyValue = columns.properties.map(column => EventHubsWriteRows.reader(column.dataType))

  def event(row: InternalRow): OutgoingEvent = {
    val key = if (usesColumns) partitionKey(row) else keyForAll
    OutgoingEvent(
      body(row, key),
      key,
      properties(row),
      text(row, columns.messageId),
      text(row, columns.correlationId),
      text(row, columns.contentType),
      stamp
    )
  }

  /** The partition that the row names, or the option for all rows. */
  def partition(row: InternalRow): Option[String] =
    if (!usesColumns) partitionForAll
    else if (columns.partition.isEmpty) None
    else {
      val column = columns.partition.get
      if (row.isNullAt(column.ordinal)) None
      else if (column.dataType == IntegerType) Some(row.getInt(column.ordinal).toString)
      else text(row, column.ordinal)
    }

  private def partitionKey(row: InternalRow): Option[String] = {
    val key = text(row, columns.partitionKey)
    if (key.isDefined && key.get.isEmpty) None else key
  }

  private def body(row: InternalRow, key: Option[String]): OutgoingBody = {
    val column = columns.body
    if (row.isNullAt(column.ordinal)) tombstone(key)
    else if (column.dataType == BinaryType && !row.isInstanceOf[UnsafeRow]) OutgoingBody(row.getBinary(column.ordinal))
    // An unsafe row stores strings and binaries alike, and reading a string makes no copy.
    else OutgoingBody(row.getUTF8String(column.ordinal))
  }

  private def tombstone(key: Option[String]): OutgoingBody =
    if (!tombstones)
      throw EventErrors.invalidEvent(
        hub,
        "Its body is null, and an event must have one.",
        "Filter such rows out, or give them an empty body with coalesce(body, ''). To delete the events of the row's " +
          s"partition key from a compacted hub, set '${WriteOptions.Tombstones.key}' to true."
      )
    else if (key.isEmpty)
      throw EventErrors.invalidEvent(
        hub,
        "Its body is null, and it has no partition key: a tombstone deletes the events of its key.",
        "Give the row a partitionKey, or filter it out."
      )
    else OutgoingBody.Null

  private def properties(row: InternalRow): JavaMap[String, AnyRef] =
    if (columns.properties.isEmpty || row.isNullAt(columns.properties.get.ordinal)) Collections.emptyMap[String, AnyRef]
    else properties(row.getMap(columns.properties.get.ordinal), propertyValue.get)

  private def properties(map: MapData, read: (ArrayData, Int) => AnyRef): JavaMap[String, AnyRef] = {
    val names = map.keyArray()
    val values = map.valueArray()
    val properties = new JavaHashMap[String, AnyRef](2 * map.numElements())
    var i = 0
    while (i < map.numElements()) {
      val name = names.getUTF8String(i).toString
      properties.put(name, if (values.isNullAt(i)) null else read(values, i))
      i += 1
    }
    properties
  }

  private def text(row: InternalRow, column: Option[Int]): Option[String] =
    if (column.isEmpty) None else text(row, column.get)

  private def text(row: InternalRow, ordinal: Int): Option[String] =
    if (row.isNullAt(ordinal)) None else Some(row.getUTF8String(ordinal).toString)
}

private[eventhubs] object EventHubsWriteRows {

  private def reader(dataType: DataType): (ArrayData, Int) => AnyRef = dataType match {
    case BinaryType => (values, i) => values.getBinary(i)
    case BooleanType => (values, i) => Boolean.box(values.getBoolean(i))
    case ByteType => (values, i) => Byte.box(values.getByte(i))
    case ShortType => (values, i) => Short.box(values.getShort(i))
    case IntegerType => (values, i) => Int.box(values.getInt(i))
    case LongType => (values, i) => Long.box(values.getLong(i))
    case FloatType => (values, i) => Float.box(values.getFloat(i))
    case DoubleType => (values, i) => Double.box(values.getDouble(i))
    case TimestampType => (values, i) => new Date(DateTimeUtils.microsToMillis(values.getLong(i)))
    case _ => (values, i) => values.getUTF8String(i).toString
  }
}
