package org.apache.spark.sql.eventhubs.exactlyonce

import java.nio.file.Files
import java.util.UUID

import scala.concurrent.duration.DurationInt
import scala.concurrent.{Await, ExecutionContext, Future}

import org.apache.spark.eventhubs.options.WriteSettings
import org.apache.spark.sql.eventhubs.InterferingFileSystem
import org.apache.spark.sql.eventhubs.sink.WriteIdentity
import org.apache.spark.sql.execution.streaming.runtime.MemoryStream
import org.apache.spark.sql.functions.{col, lit}
import org.apache.spark.sql.{DataFrame, SQLContext}
import testkit.TestSuite

/** Several versions of one batch write, two runs of one version, and the records of both. */
class ExactlyOnceVersionsSuite extends TestSuite with ExactlyOnceFixture {

  private implicit def sqlContext: SQLContext = spark.sqlContext
  private implicit val threads: ExecutionContext = ExecutionContext.global

  private def frame(rows: Range): DataFrame =
    fragile(spark.range(rows.start.toLong, rows.end.toLong).selectExpr("cast(id as int) as value"))

  private def save(frame: DataFrame, hub: String, version: Long, log: String): Unit =
    frame.write.format("eventhubs").options(options(hub, exactlyOnce: _*))
      .option("eventhubs.writeId", "daily")
      .option("eventhubs.writeVersion", version)
      .option("eventhubs.writeLogLocation", log)
      .save()

  private def retaining[A](batches: Int)(body: => A): A = {
    spark.conf.set("spark.sql.streaming.minBatchesToRetain", batches.toLong)
    try body
    finally spark.conf.unset("spark.sql.streaming.minBatchesToRetain")
  }

  test("versions that are dates: both fail, and the repetition of each stores its rows once") {
    val (hub, log) = (newHub(), newFolder().toString)
    val days = Seq(20260810L -> (0 until 3000), 20261120L -> (3000 until 6000))
    days.foreach { case (day, rows) =>
      Breaking.when(_ == rows.end - 100)
      intercept[Exception](save(frame(rows), hub, day, log))
    }
    Breaking.stop()
    days.foreach { case (day, rows) => save(frame(rows), hub, day, log) }
    assertSame(arrived(hub), (0 until 6000).map(_.toString))
  }

  test("a version that runs while a much later one begins and ends is recorded, and not written again") {
    val (hub, log, held) = (newHub(), newFolder().toString, new HeldRow(newFolder(), row = 2900))
    val rows = spark.range(3000).selectExpr("cast(id as int) as value")
    val slow = held.compute(rows).select(col("value").cast("string").as("body"))
    val earlier = Future(save(slow, hub, 20260810, log))
    eventually("the row is not held")(held.isHeld)
    save(frame(3000 until 3010), hub, 20261120, log)
    held.release()
    Await.result(earlier, 2.minutes)
    save(slow, hub, 20260810, log)
    assertSame(arrived(hub), (0 until 3010).map(_.toString))
  }

  test("consecutive versions: an old one whose record is removed is refused, never written again") {
    val (hub, log) = (newHub(), newFolder().toString)
    retaining(2) {
      (1 to 13).foreach(version => save(frame(version until version + 1), hub, version.toLong, log))
      (1 to 13).foreach { version =>
        try save(frame(version until version + 1), hub, version.toLong, log)
        catch { case refused: Exception => assert(condition(refused) == "EVENTHUBS_INVALID_OPTION") }
      }
    }
    // Records that are removed stay removed.
    assert(condition(intercept[Exception](save(frame(1 until 2), hub, 1, log))) == "EVENTHUBS_INVALID_OPTION")
    assertSame(arrived(hub), (1 to 13).map(_.toString))
  }

  test("an unfinished version stays, however many later ones are done") {
    val (hub, log) = (newHub(), newFolder().toString)
    Breaking.when(_ == 2900)
    intercept[Exception](save(frame(0 until 3000), hub, 1, log))
    Breaking.stop()
    retaining(2) {
      (2 to 12).foreach(version => save(frame(3000 + version until 3001 + version), hub, version.toLong, log))
      save(frame(0 until 3000), hub, 1, log)
      // It is done, although it comes before the versions whose records are kept.
      save(frame(0 until 3000), hub, 1, log)
      val refused = intercept[Exception](save(frame(3005 until 3006), hub, 5, log))
      assert(condition(refused) == "EVENTHUBS_INVALID_OPTION")
    }
    assertSame(arrived(hub), (0 until 3000).map(_.toString) ++ (3002 to 3012).map(_.toString))
  }

  test("an earlier version that nobody wrote is written after a later one") {
    val (hub, log) = (newHub(), newFolder().toString)
    save(frame(0 until 10), hub, 20261120, log)
    save(frame(10 until 20), hub, 20260810, log)
    assertSame(arrived(hub), (0 until 20).map(_.toString))
  }

  test("a run whose version another run continues does not report success") {
    val (hub, log, held) = (newHub(), newFolder(), new HeldRow(newFolder(), row = 2900))
    val rows = spark.range(3000).selectExpr("cast(id as int) as value")
    val slow = held.compute(rows).select(col("value").cast("string").as("body"))
    val first = Future(save(slow, hub, 1, log.toString))
    eventually("the row is not held")(held.isHeld)
    // As another application does it when it starts the same version.
    val begun = Files.walk(log).filter(path => path.endsWith("begun/1")).findFirst.get
    assert(new WriteLog(spark, begun.getParent.toString).takeOver(1, "another run"))
    held.release()
    val failed = intercept[Exception](Await.result(first, 2.minutes))
    assert(condition(failed) == "EVENTHUBS_EXACTLY_ONCE.CONCURRENT")
    // Nothing says that the version is done.
    save(frame(0 until 3000), hub, 1, log.toString)
    assertSame(arrived(hub), (0 until 3000).map(_.toString))
  }

  test("a run whose version another run has recorded as done does not report success") {
    val (hub, log) = (newHub(), s"${InterferingFileSystem.Scheme}:${newFolder()}")
    spark.conf.set(InterferingFileSystem.Option, classOf[InterferingFileSystem].getName)
    try {
      // Between the last look at the record of the version and the record that it is done.
      InterferingFileSystem.beforeCreating("done/1")(save(frame(0 until 100), hub, 1, log))
      val failed = intercept[Exception](save(frame(0 until 100), hub, 1, log))
      assert(condition(failed) == "EVENTHUBS_EXACTLY_ONCE.CONCURRENT")
      save(frame(0 until 100), hub, 1, log)
    } finally spark.conf.unset(InterferingFileSystem.Option)
    assertSame(arrived(hub), (0 until 100).map(_.toString))
  }

  test("a version that is done is not skipped in silence after its hub was recreated") {
    val (hub, log) = (newHub(), newFolder().toString)
    save(frame(0 until 10), hub, 1, log)
    save(frame(0 until 10), hub, 1, log)
    localHub.recreateHub(hub)
    val refused = intercept[Exception](save(frame(0 until 10), hub, 1, log))
    assert(condition(refused) == "EVENTHUBS_EXACTLY_ONCE.OUTCOME_UNKNOWN")
    assert(refused.getMessage.contains("was recreated") && arrived(hub).isEmpty)
  }

  test("a query whose checkpoint got another query id does not send its last batch again") {
    import spark.implicits._
    val (hub, checkpoint, source) = (newHub(), newFolder(), MemoryStream[Int])
    source.addData(0 until 100)
    run(fragile(source.toDF()), hub, checkpoint)
    forgetCommit(checkpoint, 0)
    // Spark 3.5 to 4.1 make a new id when the file is lost.
    Files.writeString(checkpoint.resolve("metadata"), s"""{"id":"${UUID.randomUUID()}"}""")
    Files.deleteIfExists(checkpoint.resolve(".metadata.crc"))
    run(fragile(source.toDF()), hub, checkpoint)
    assertSame(arrived(hub), (0 until 100).map(_.toString))
  }

  test("a task of an earlier run is seen when each row names the hub, in another spelling") {
    val id = UUID.randomUUID().toString
    val names = Seq("alerts", "ALERTS").map(options(_)).map { all =>
      ExactlyOnceTask.nameOf(
        WriteSettings.parse(all).connection.hub,
        WriteIdentity.ofBatchWrite(id, 3)
      )
    }
    assert(names.distinct.length == 1)
  }

  test("a streaming write continues when rows name the hub that an option named") {
    import spark.implicits._
    val (hub, checkpoint, source) = (newHub(), newFolder(), MemoryStream[Int])
    source.addData(0 until 3000)
    Breaking.when(_ == 2900)
    failure(fragile(source.toDF()), hub, checkpoint)
    Breaking.stop()
    val named = fragile(source.toDF()).withColumn("eventHub", lit(hub.toUpperCase))
    run(named, hub, checkpoint)
    assertSame(arrived(hub), (0 until 3000).map(_.toString))
  }
}
