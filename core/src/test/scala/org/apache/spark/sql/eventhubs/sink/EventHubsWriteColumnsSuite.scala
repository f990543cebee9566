package org.apache.spark.sql.eventhubs.sink

import org.apache.spark.eventhubs.EventHubsException
import org.apache.spark.sql.SaveMode
import org.apache.spark.sql.types._
import testkit.TestSuite

class EventHubsWriteColumnsSuite extends TestSuite {

  private def schema(columns: (String, DataType)*): StructType =
    StructType(columns.map { case (name, dataType) => StructField(name, dataType) })

  private def refusal(columns: (String, DataType)*): String = {
    val failure = intercept[EventHubsException](EventHubsWriteColumns.bind(schema(columns: _*)))
    assert(failure.getCondition == "EVENTHUBS_INVALID_WRITE_SCHEMA")
    failure.getMessage
  }

  test("a frame without a body is refused, with the legacy message and the frame's columns") {
    val message = refusal("value" -> StringType, "key" -> StringType)
    assert(message.contains("Required attribute 'body' not found."))
    assert(message.contains("The columns are value, key"))
  }

  test("a body must be text or binary") {
    assert(EventHubsWriteColumns.bind(schema("body" -> StringType)).body.ordinal == 0)
    assert(EventHubsWriteColumns.bind(schema("x" -> LongType, "body" -> BinaryType)).body.ordinal == 1)
    assert(refusal("body" -> IntegerType).contains("body attribute type must be a String or BinaryType."))
  }

  test("column names are not case-sensitive") {
    val columns =
      EventHubsWriteColumns.bind(schema("BODY" -> StringType, "PartitionID" -> IntegerType, "MESSAGEid" -> StringType))
    assert(columns.body.ordinal == 0)
    assert(columns.partition.map(_.ordinal).contains(1))
    assert(columns.messageId.contains(2))
    assert(columns.unused.isEmpty)
  }

  test("two columns of one name are refused") {
    assert(refusal(
      "body" -> StringType,
      "Body" -> StringType
    ).contains("Several columns are named 'body': body, Body."))
  }

  test("of partition and partitionId the first column is used") {
    val columns = schema("body" -> StringType, "partition" -> StringType, "partitionId" -> StringType)
    assert(EventHubsWriteColumns.bind(columns).partition.map(_.name).contains("partition"))
    assert(EventHubsWriteColumns.bind(StructType(columns.reverse)).partition.map(_.name).contains("partitionId"))
  }

  test("a partition id is text or a whole number") {
    assert(EventHubsWriteColumns.bind(schema("body" -> StringType, "partition" -> IntegerType)).partition.isDefined)
    assert(refusal("body" -> StringType, "partitionId" -> DoubleType)
      .contains("partitionId attribute type must be a String or IntegerType."))
  }

  test("a partition key must be text") {
    assert(refusal(
      "body" -> StringType,
      "partitionKey" -> LongType
    ).contains("partitionKey attribute type must be a String."))
  }

  test("properties are a map from text to simple values") {
    Seq(
      StringType,
      BinaryType,
      BooleanType,
      ByteType,
      ShortType,
      IntegerType,
      LongType,
      FloatType,
      DoubleType,
      TimestampType
    )
      .foreach { values =>
        val columns =
          EventHubsWriteColumns.bind(schema("body" -> StringType, "properties" -> MapType(StringType, values)))
        assert(columns.properties.map(_.dataType).contains(values))
      }
    assert(refusal("body" -> StringType, "properties" -> MapType(StringType, ArrayType(StringType)))
      .contains("a map from String to a simple value"))
    assert(refusal("body" -> StringType, "properties" -> StringType).contains("It is string"))
  }

  test("a column of type null counts as missing") {
    val columns = EventHubsWriteColumns.bind(schema("body" -> StringType, "partitionKey" -> NullType))
    assert(columns.partitionKey.isEmpty)
    assert(columns.unused.isEmpty)
  }

  test("columns that are not written are listed") {
    assert(EventHubsWriteColumns.bind(schema("body" -> StringType, "offset" -> StringType)).unused == Seq("offset"))
  }

  test("a hub can only be appended to") {
    EventHubsWriter.checkSaveMode(SaveMode.Append)
    EventHubsWriter.checkSaveMode(SaveMode.ErrorIfExists)
    Seq(SaveMode.Overwrite, SaveMode.Ignore).foreach { mode =>
      val failure = intercept[EventHubsException](EventHubsWriter.checkSaveMode(mode))
      assert(failure.getMessage.contains(s"Save mode $mode not allowed for eventhubs"))
    }
  }
}
