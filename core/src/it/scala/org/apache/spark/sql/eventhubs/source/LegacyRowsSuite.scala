package org.apache.spark.sql.eventhubs.source

import java.nio.charset.StandardCharsets.UTF_8
import java.time.Instant
import java.util.Base64

import org.apache.spark.sql.eventhubs.LegacyFiles
import org.apache.spark.sql.functions.col
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.{DataFrame, Row}
import testkit.{Patience, TestSuite}

/** Compares with the rows of the real legacy connector for the same AMQP bytes. */
class LegacyRowsSuite extends TestSuite with StreamFixture {

  private lazy val hubName = {
    val name = newHub(6)
    LegacyRows.messages.foreach { case (partition, messages) =>
      StoredEvent.appendEncoded(hub(name).partitions(partition), messages)
    }
    name
  }

  private def rows(frame: DataFrame): Seq[LegacyRows.Row] = frame.orderBy("sequenceNumber").collect().toSeq.map(row)

  private def row(of: Row): LegacyRows.Row = LegacyRows.Row(
    of.getAs[String]("offset"),
    of.getAs[Long]("sequenceNumber"),
    Option(of.getAs[String]("publisher")),
    Option(of.getAs[String]("partitionKey")),
    of.getAs[collection.Map[String, String]]("properties").toMap,
    of.getAs[collection.Map[String, String]]("systemProperties").toMap,
    Base64.getEncoder.encodeToString(of.getAs[Array[Byte]]("body"))
  )

  private def assertGolden(actual: Seq[LegacyRows.Row]): Unit = {
    assert(actual.size == 49)
    val different = actual.zip(LegacyRows.expected).filter { case (ours, legacy) => ours != legacy }
    assert(different.isEmpty)
  }

  test("the schema is the legacy's, for batches and for streams") {
    val legacy = DataType.fromJson(LegacyFiles.text("schema.json"))
    assert(batch(hubName).schema == legacy)
    assert(stream(hubName).schema == legacy)
    assert(stream(hubName, "eventhubs.useV1Source" -> "true").schema == legacy)
  }

  test("a batch read shows the 49 rows, with the values that the legacy connector lost") {
    val frame = batch(hubName).filter(col("partition") === "0")
    assertGolden(rows(frame))
    assert(frame.select("partition", "enqueuedTime").distinct().collect().toSeq ==
      Seq(Row("0", java.sql.Timestamp.from(Instant.ofEpochMilli(1700000000000L)))))
  }

  for (useV1 <- Seq(true, false))
    test(s"a stream shows the same rows, with useV1Source=$useV1") {
      val frame = stream(hubName, earliest, "eventhubs.useV1Source" -> useV1.toString, "eventhubs.partitions" -> "0")
      @volatile var found = Seq.empty[LegacyRows.Row]
      val keep = (rows: DataFrame, _: Long) => found ++= this.rows(rows)
      val query = frame.writeStream
        .foreachBatch(keep)
        .option("checkpointLocation", newFolder().toUri.toString)
        .trigger(org.apache.spark.sql.streaming.Trigger.AvailableNow())
        .start()
      assert(query.awaitTermination(Patience.queryMillis))
      assertGolden(found)
    }

  test("events with nothing set have empty maps, not null") {
    val plain = batch(hubName).filter("partition = '0' and sequenceNumber = 0").collect().head
    assert(plain.getAs[collection.Map[String, String]]("properties").isEmpty)
    assert(plain.getAs[collection.Map[String, String]]("systemProperties").isEmpty)
    assert(plain.isNullAt(plain.fieldIndex("publisher")) && plain.isNullAt(plain.fieldIndex("partitionKey")))
  }

  test("bodies that are not bytes, which the legacy connector showed as null, are shown as text; no body is null") {
    val odd = batch(hubName).filter(col("partition") > "0").orderBy("partition").collect()
    assert(odd.map(row => Option(row.getAs[Array[Byte]]("body")).map(new String(_, UTF_8))).toSeq ==
      Seq(Some("a string value"), Some("binary value"), Some("""["x",1]"""), Some("""{"k":1}"""), None))
  }

  test("Spark's JSON of a row equals the legacy connector's, where nothing was lost") {
    val repaired = Set(22L, 25L, 27L, 28L, 29L, 33L, 41L, 42L, 45L, 47L, 48L)
    val json = batch(hubName)
      .filter(col("partition") === "0")
      .selectExpr("sequenceNumber", "to_json(struct(*)) as json")
      .collect()
      .map(row => row.getLong(0) -> row.getString(1))
      .toMap
    LegacyRows.sparkJson.filterNot { case (seqNo, _) => repaired(seqNo) }.foreach { case (seqNo, legacy) =>
      assert(LegacyRows.parsed(json(seqNo)) == LegacyRows.parsed(legacy), s"for event $seqNo")
    }
  }
}
