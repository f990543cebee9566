package org.apache.spark.sql.eventhubs.sink

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.eventhubs.exactlyonce.{Breaking, ExactlyOnceFixture}
import org.apache.spark.sql.eventhubs.source.ReadSparkFixture
import org.apache.spark.sql.functions._
import testkit.TestSuite

/** Rows without a body on their way to the hub and back. */
class TombstoneSuite extends TestSuite with ReadSparkFixture with ExactlyOnceFixture {

  private val tombstones = "eventhubs.writeTombstones" -> "true"

  private def values(rows: (String, Option[String])*): DataFrame =
    spark.createDataFrame(rows).toDF("partitionKey", "body")

  private def read(hub: String): Map[String, Seq[Option[String]]] =
    batch(hub).selectExpr("partitionKey", "sequenceNumber", "cast(body as string)").orderBy("sequenceNumber").collect()
      .toSeq.groupMap(_.getString(0))(row => Option(row.getString(2)))

  test("a tombstone is written with the option, stored, and read as a row with a null body") {
    val hub = newHub(1)
    values("a" -> Some("1"), "b" -> Some("null"), "a" -> None, "b" -> Some("")).coalesce(1)
      .write.format("eventhubs").options(options(hub, tombstones)).mode("append").save()
    assert(read(hub) == Map("a" -> Seq(Some("1"), None), "b" -> Seq(Some("null"), Some(""))))
    assert(batch(hub).where("body is null").count() == 1)
  }

  test("without the option a row without a body is refused, and the error names it") {
    val failure = intercept[Exception](
      values("a" -> None).write.format("eventhubs").options(options(newHub(1))).mode("append").save()
    )
    assert(condition(failure) == "EVENTHUBS_INVALID_EVENT")
    assert(
      Iterator.iterate[Throwable](failure)(_.getCause).takeWhile(_ != null).exists(_.getMessage.contains(tombstones._1))
    )
  }

  test("an exactly-once write that failed halfway and is repeated stores each tombstone once") {
    val (hub, log) = (newHub(), newFolder().toString)
    val fails = udf((value: Int) => Breaking.row(value))
    val keyed = spark.range(3000).select(fails(col("id").cast("int")).cast("string").as("partitionKey"))
    val frame = keyed.selectExpr("partitionKey", "if(partitionKey % 2 = 0, null, partitionKey) as body")
    def save(): Unit = frame.write.format("eventhubs").options(options(hub, exactlyOnce :+ tombstones: _*))
      .option("eventhubs.writeId", "daily").option("eventhubs.writeVersion", 1)
      .option("eventhubs.writeLogLocation", log).mode("append").save()
    Breaking.when(_ == 2900)
    intercept[Exception](save())
    Breaking.stop()
    assert(batch(hub).where("body is null").count() > 50)
    save()
    val expected = (0 until 3000).map(n => n.toString -> Seq(Option.when(n % 2 == 1)(n.toString))).toMap
    assert(read(hub) == expected)
  }
}
