package org.apache.spark.sql.eventhubs

import java.io.ByteArrayOutputStream
import java.nio.charset.StandardCharsets.UTF_8
import java.sql.Timestamp
import java.time.Instant
import java.util.zip.GZIPOutputStream

import org.apache.spark.sql.functions.col
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{Column, Row}
import testkit.TestSuite

class FunctionsSuite extends TestSuite with TestSpark {

  /** One event with these maps. */
  private def of(system: Map[String, String], properties: Map[String, String] = Map.empty)(column: Column): Row = {
    import spark.implicits._
    Seq((system, properties)).toDF("systemProperties", "properties").select(column).head()
  }

  private def gzip(body: Array[Byte]): Array[Byte] = {
    val bytes = new ByteArrayOutputStream
    val stream = new GZIPOutputStream(bytes)
    stream.write(body)
    stream.close()
    bytes.toByteArray
  }

  test("a Kafka key is text where its bytes are UTF-8, and Base64 or bytes otherwise") {
    def key(text: String)(column: Column) = of(Map("x-opt-kafka-key" -> text))(column)
    assert(key("[107,-61,-92]")(functions.kafkaKey).getString(0) == "kä")
    assert(key("[0,-1,16]")(functions.kafkaKey).getString(0) == "AP8Q")
    assert(key("[0,-1,16]")(functions.kafkaKeyBytes).getAs[Array[Byte]](0).toSeq == Seq[Byte](0, -1, 16))
    assert(key("no bytes")(functions.kafkaKey).getString(0) == "no bytes")
    assert(of(Map.empty)(functions.kafkaKey).isNullAt(0))
  }

  test("Kafka headers are text where they are text; other properties stay as they are") {
    val headers = Map("a" -> "[97,98]", "raw" -> "[-1]", "empty" -> "[]", "amqp" -> "[1,,2]", "large" -> "[300]")
    assert(of(Map.empty, headers)(functions.kafkaHeaders).getMap[String, String](0).toMap ==
      Map("a" -> "ab", "raw" -> "/w==", "empty" -> "", "amqp" -> "[1,,2]", "large" -> "[300]"))
    val bytes = of(Map.empty, headers)(functions.kafkaHeadersBytes).getMap[String, Array[Byte]](0).toMap
    assert(bytes("raw").toSeq == Seq[Byte](-1) && bytes("a").toSeq == "ab".getBytes.toSeq)
  }

  test("what an IoT Hub adds is a struct with typed fields") {
    val system = Map(
      "iothub-connection-device-id" -> "d1",
      "iothub-connection-auth-method" -> "{\"scope\":\"device\",\"type\":\"sas\"}",
      "iothub-enqueuedtime" -> "\"2026-11-25T10:20:30.400Z\"",
      "iothub-creation-time-utc" -> "1700000000123"
    )
    val device = of(system)(functions.iotHub).getStruct(0)
    def field[A](name: String): A = device.getAs[A](name)
    assert(field[String]("deviceId") == "d1" && field[String]("authType") == "sas")
    assert(field[Timestamp]("enqueuedTime").toInstant == Instant.parse("2026-11-25T10:20:30.400Z"))
    assert(field[Timestamp]("creationTime").toInstant == Instant.ofEpochMilli(1700000000123L))
    assert(field[String]("moduleId") == null)
  }

  test("a time of a device has its own zone, or UTC in a session of any zone") {
    val times = Seq(
      "2026-11-25T10:20:29.5Z" -> "2026-11-25T10:20:29.5Z",
      "2026-11-25T10:20:29+02:00" -> "2026-11-25T08:20:29Z",
      "2026-11-25T10:20:29.500" -> "2026-11-25T10:20:29.5Z",
      "2026-11-25 10:20:29" -> "2026-11-25T10:20:29Z",
      "2026-11-25T10:20" -> "2026-11-25T10:20:00Z",
      "2026-11-25" -> "2026-11-25T00:00:00Z",
      "1764066029000" -> "2025-11-25T10:20:29Z"
    )
    def created(text: String): Row =
      of(Map.empty, Map("iothub-creation-time-utc" -> text))(functions.iotHub).getStruct(0)
    for (zone <- Seq("America/Los_Angeles", "Asia/Kolkata"))
      withZone(zone) {
        times.foreach { case (text, expected) =>
          val time = created(text).getAs[Timestamp]("creationTime").toInstant
          assert(time == Instant.parse(expected), s"$text in $zone")
        }
        assert(created("").getAs[Timestamp]("creationTime") == null)
      }
  }

  private def withZone(zone: String)(test: => Unit): Unit = {
    val before = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", zone)
    try test
    finally spark.conf.set("spark.sql.session.timeZone", before)
  }

  test("a number of a device that is no time is null and does not fail the query, such as ticks of .NET") {
    for (text <- Seq("638000000000000000", "-9223372036854775808", "soon")) {
      val device = of(Map.empty, Map("iothub-creation-time-utc" -> text))(functions.iotHub).getStruct(0)
      assert(device.isNullAt(device.fieldIndex("creationTime")), text)
    }
  }

  test("the content encoding of an event, or a column, says how its body is compressed") {
    import spark.implicits._
    val none = Map.empty[String, String]
    val zipped = Map("content-encoding" -> " GZIP ")
    val body = "hello".getBytes
    val events = Seq(
      (1, gzip(body), zipped, none),
      (2, gzip(body), none, zipped),
      (3, body, Map("content-encoding" -> "utf-8"), none),
      (4, body, none, none),
      (5, body, zipped, none)
    ).toDF("n", "body", "systemProperties", "properties")
    def bodies(column: Column): Seq[Option[String]] = events.orderBy("n").select(column.cast("string")).collect().toSeq
      .map(row => Option(row.getString(0)))
    val hello = Some("hello")
    assert(bodies(functions.decompressedBody()) == Seq(hello, hello, hello, hello, None))
    assert(bodies(functions.decompressedBody(maxBytes = 4)) == Seq(None, None, hello, hello, None))
    assert(bodies(functions.decompressed(col("body"), col("properties")("content-encoding")))(1) == hello)
    val failed = intercept[Exception](bodies(functions.decompressedBody(failOnError = true)))
    assert(Iterator.iterate[Throwable](failed)(_.getCause).takeWhile(_ != null)
      .exists(_.getMessage.contains("no whole gzip stream")))
  }

  test("a JSON body becomes a struct, and text that does not parse is null or kept by choice") {
    import spark.implicits._
    val schema = StructType.fromDDL("id INT, name STRING")
    val texts = Seq(Some("""{"id": 1, "name": "ä"}"""), Some("not json"), None, Some("""{"id": "x"}"""))
    val events = texts.map(_.map(_.getBytes(UTF_8))).zipWithIndex.toDF("body", "n")

    val plain = functions.fromJsonBody(events, schema)
    assert(plain.columns.toSeq == Seq("body", "n") && plain.schema("body").dataType == schema)
    val ids = plain.orderBy("n").select("body.id").collect().toSeq.map(row => Option(row.get(0)))
    assert(ids == Seq(Some(1), None, None, None))

    val renamed = events.withColumnRenamed("body", "raw")
    val kept = functions.fromJsonBody(renamed, schema, body = "raw", keepCorrupt = true).orderBy("n").select("raw.*")
    assert(kept.columns.toSeq == Seq("id", "name", "_corrupt_record"))
    assert(kept.head().getString(1) == "ä")
    val corrupt = kept.collect().toSeq.map(row => Option(row.getString(2)))
    assert(corrupt == Seq(None, Some("not json"), None, Some("""{"id": "x"}""")))
  }
}
