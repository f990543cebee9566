package org.apache.spark.sql.eventhubs.sink

import java.util.Locale

import org.apache.spark.eventhubs.EventHubsErrors
import org.apache.spark.sql.types._

/**
 * Maps the columns of a frame, by position, to the parts of an event. It is checked on the driver before anything is
 * sent.
 *
 * @param eventHub names the hub of each row; None when the options name the hub of all rows
 * @param unused   columns that are not written
 */
private[eventhubs] final case class EventHubsWriteColumns(
    body: EventHubsWriteColumns.Column,
    partition: Option[EventHubsWriteColumns.Column],
    partitionKey: Option[Int],
    properties: Option[EventHubsWriteColumns.Column],
    messageId: Option[Int],
    correlationId: Option[Int],
    contentType: Option[Int],
    eventHub: Option[Int],
    unused: Seq[String]
)

private[eventhubs] object EventHubsWriteColumns {

  /** @param dataType of the values; for `properties` that of the map's values */
  final case class Column(ordinal: Int, name: String, dataType: DataType)

  /** Names are not case-sensitive. */
  private val Known =
    Seq("body", "partitionId", "partition", "partitionKey", "properties", "messageId", "correlationId", "contentType")
  private val EventHub = "eventHub"

  /**
   * @param hubByRow whether the column `eventHub` names the hub of each row; otherwise it is not used
   * @throws org.apache.spark.eventhubs.EventHubsException with the column and the type that it must have
   */
  def bind(schema: StructType, hubByRow: Boolean = false): EventHubsWriteColumns = {
    val columns = schema.fields.toSeq.zipWithIndex.map { case (field, i) => Column(i, field.name, field.dataType) }

    def named(name: String): Option[Column] = columns.filter(_.name.equalsIgnoreCase(name)) match {
      case Seq() => None
      case Seq(one) if one.dataType == NullType => None
      case Seq(one) => Some(one)
      case several =>
        throw EventHubsErrors.invalidSchema(
          s"Several columns are named '$name': ${several.map(_.name).mkString(", ")}.",
          "Drop or rename all but one."
        )
    }
    def text(name: String): Option[Int] = named(name).map(typed(_, "a String") { case _: StringType => true }.ordinal)

    EventHubsWriteColumns(
      body = named("body").map(typed(_, "a String or BinaryType") { case _: StringType | BinaryType => true })
        .getOrElse(throw noBody(schema)),
      // Like the legacy connector: the first column with one of the two names.
      partition = (named("partitionId") ++ named("partition")).minByOption(_.ordinal)
        .map(typed(_, "a String or IntegerType") { case _: StringType | IntegerType => true }),
      partitionKey = text("partitionKey"),
      properties = named("properties").map(propertyValues),
      messageId = text("messageId"),
      correlationId = text("correlationId"),
      contentType = text("contentType"),
      eventHub = if (hubByRow) text(EventHub) else None,
      unused = columns.map(_.name).filterNot { name =>
        Known.exists(_.equalsIgnoreCase(name)) || (hubByRow && name.equalsIgnoreCase(EventHub))
      }
    )
  }

  private def noBody(schema: StructType) = EventHubsErrors.invalidSchema(
    "Required attribute 'body' not found.",
    s"The columns are ${schema.fieldNames.mkString(", ")}; name one 'body', for instance with " +
      "selectExpr(\"to_json(struct(*)) AS body\")."
  )

  private def typed(column: Column, expected: String)(accepts: PartialFunction[DataType, Boolean]): Column =
    if (accepts.applyOrElse(column.dataType, (_: DataType) => false)) column
    else
      throw EventHubsErrors.invalidSchema(
        s"${column.name} attribute type must be $expected.",
        s"It is ${column.dataType.catalogString.toUpperCase(Locale.ROOT)}; cast the column."
      )

  private def propertyValues(column: Column): Column = column.dataType match {
    case MapType(_: StringType, values, _) if isPropertyValue(values) => column.copy(dataType = values)
    case other =>
      throw EventHubsErrors.invalidSchema(
        s"${column.name} attribute type must be a map from String to a simple value.",
        s"It is ${other.catalogString}; values may be string, binary, boolean, timestamp, tinyint, smallint, int, " +
          "bigint, float or double."
      )
  }

  private def isPropertyValue(dataType: DataType): Boolean = dataType match {
    case _: StringType | BinaryType | BooleanType | TimestampType => true
    case ByteType | ShortType | IntegerType | LongType | FloatType | DoubleType => true
    case _ => false
  }
}
