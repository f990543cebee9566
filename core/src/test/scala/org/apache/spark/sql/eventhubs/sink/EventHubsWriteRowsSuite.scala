package org.apache.spark.sql.eventhubs.sink

import java.time.Instant
import java.util.Date

import scala.jdk.CollectionConverters._

import org.apache.spark.eventhubs.amqp.BodyBytes
import org.apache.spark.eventhubs.options.WriteDestination
import org.apache.spark.eventhubs.options.WriteDestination.{AnyPartition, ByKey, ToPartition}
import org.apache.spark.eventhubs.{EventHubName, EventHubsException}
import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection
import org.apache.spark.sql.catalyst.{CatalystTypeConverters, InternalRow}
import org.apache.spark.sql.types._
import testkit.TestSuite

class EventHubsWriteRowsSuite extends TestSuite {

  private def bind(schema: StructType, destination: WriteDestination = AnyPartition, tombstones: Boolean = false) =
    new EventHubsWriteRows(
      EventHubsWriteColumns.bind(schema),
      destination,
      EventHubName("ns.example", "telemetry"),
      tombstones,
      stamp = None
    )

  private def internal(schema: StructType, values: Any*): InternalRow =
    CatalystTypeConverters.createToCatalystConverter(schema)(Row(values: _*)).asInstanceOf[InternalRow]

  private val none = Option.empty[String].orNull

  private val routed = StructType.fromDDL("body STRING, partitionId INT, partitionKey STRING")

  test("string and binary bodies become the same bytes, from both kinds of rows") {
    val text = StructType.fromDDL("body STRING")
    val binary = StructType.fromDDL("body BINARY")
    val ofText = internal(text, "Grüße")
    val ofBinary = internal(binary, "Grüße".getBytes("UTF-8"))
    val rows = Seq(
      text -> ofText,
      text -> UnsafeProjection.create(text)(ofText).copy(),
      binary -> ofBinary,
      binary -> UnsafeProjection.create(binary)(ofBinary).copy()
    )
    rows.foreach { case (schema, row) =>
      assert(new String(BodyBytes.of(bind(schema).event(row).body), "UTF-8") == "Grüße")
    }
  }

  test("a null body is refused") {
    val failure = intercept[EventHubsException](bind(routed).event(internal(routed, none, none, none)))
    assert(failure.getCondition == "EVENTHUBS_INVALID_EVENT")
    assert(failure.getMessage.contains("Its body is null") && failure.getMessage.contains("writeTombstones"))
  }

  test("a null body with a key becomes a tombstone if the option says so; without a key it is refused") {
    val rows = bind(routed, tombstones = true)
    assert(rows.event(internal(routed, none, none, "k")).body.isNull)
    assert(!rows.event(internal(routed, "", none, "k")).body.isNull)
    assert(bind(routed, ByKey("all"), tombstones = true).event(internal(routed, none, 3, none)).body.isNull)
    Seq(rows, bind(routed, ToPartition("1"), tombstones = true)).foreach { keyless =>
      val failure = intercept[EventHubsException](keyless.event(internal(routed, none, none, none)))
      assert(failure.getCondition == "EVENTHUBS_INVALID_EVENT")
      assert(failure.getMessage.contains("no partition key"))
    }
  }

  test("each row has its own partition and key") {
    val rows = bind(routed)
    val ofPartition = internal(routed, "a", 3, none)
    assert(rows.partition(ofPartition).contains("3"))
    assert(rows.event(ofPartition).partitionKey.isEmpty)
    val ofKey = internal(routed, "a", none, "k")
    assert(rows.partition(ofKey).isEmpty)
    assert(rows.event(ofKey).partitionKey.contains("k"))
    assert(rows.event(internal(routed, "a", none, "")).partitionKey.isEmpty)
  }

  test("an option for all rows overrides the row's partition and key") {
    val row = internal(routed, "a", 3, "k")
    val toPartition = bind(routed, ToPartition("1"))
    assert(toPartition.partition(row).contains("1"))
    assert(toPartition.event(row).partitionKey.isEmpty)
    val byKey = bind(routed, ByKey("all"))
    assert(byKey.partition(row).isEmpty)
    assert(byKey.event(row).partitionKey.contains("all"))
  }

  test("ids and content type are sent when they are set") {
    val schema = StructType.fromDDL("body STRING, messageId STRING, correlationId STRING, contentType STRING")
    val event = bind(schema).event(internal(schema, "a", "m-1", none, "application/json"))
    assert(event.messageId.contains("m-1"))
    assert(event.correlationId.isEmpty)
    assert(event.contentType.contains("application/json"))
  }

  test("property values keep their types") {
    def sent(valueType: String, value: Any): AnyRef = {
      val schema = StructType.fromDDL(s"body STRING, properties MAP<STRING, $valueType>")
      bind(schema).event(internal(schema, "a", Map("p" -> value))).properties.get("p")
    }
    assert(sent("STRING", "text") == "text")
    assert(sent("BOOLEAN", true) == Boolean.box(true))
    assert(sent("TINYINT", 1.toByte) == Byte.box(1))
    assert(sent("SMALLINT", 2.toShort) == Short.box(2))
    assert(sent("INT", 3) == Int.box(3))
    assert(sent("BIGINT", 4L) == Long.box(4))
    assert(sent("FLOAT", 5.5f) == Float.box(5.5f))
    assert(sent("DOUBLE", 6.5) == Double.box(6.5))
    val time = Instant.parse("2024-02-29T12:00:00.123Z")
    assert(sent("TIMESTAMP", java.sql.Timestamp.from(time)) == Date.from(time))
    assert(sent("BINARY", Array[Byte](1, 2)).asInstanceOf[Array[Byte]].toSeq == Seq(1, 2))
  }

  test("a row may have no properties, and a property without a value") {
    val schema = StructType.fromDDL("body STRING, properties MAP<STRING, STRING>")
    assert(bind(schema).event(internal(schema, "a", None.orNull)).properties.asScala.isEmpty)
    val properties = bind(schema).event(internal(schema, "a", Map("p" -> none, "q" -> "v"))).properties
    assert(properties.asScala == Map("p" -> none, "q" -> "v"))
  }
}
