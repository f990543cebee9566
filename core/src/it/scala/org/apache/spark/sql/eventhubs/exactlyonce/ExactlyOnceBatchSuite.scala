package org.apache.spark.sql.eventhubs.exactlyonce

import org.apache.spark.sql.eventhubs.InterferingFileSystem
import org.apache.spark.sql.execution.streaming.runtime.MemoryStream
import org.apache.spark.sql.{DataFrame, SQLContext}
import testkit.TestSuite

/** Batch writes that are repeated, by the user or in `foreachBatch`. */
class ExactlyOnceBatchSuite extends TestSuite with ExactlyOnceFixture {

  private implicit def sqlContext: SQLContext = spark.sqlContext

  private val rows = 0 until 3000

  private def frame: DataFrame = fragile(spark.range(rows.length.toLong).selectExpr("cast(id as int) as value"))

  private def save(frame: DataFrame, hub: String, id: String, version: Long, log: String): Unit =
    frame.write.format("eventhubs").options(options(hub, exactlyOnce: _*))
      .option("eventhubs.writeId", id)
      .option("eventhubs.writeVersion", version)
      .option("eventhubs.writeLogLocation", log)
      .save()

  test("a write that failed halfway and is repeated stores each row once") {
    val (hub, log) = (newHub(), newFolder().toString)
    Breaking.when(_ == 2900)
    intercept[Exception](save(frame, hub, "daily", 1, log))
    Breaking.stop()
    assert(arrived(hub).length > 100)
    save(frame.repartition(3), hub, "daily", 1, log)
    assertSame(arrived(hub), rows.map(_.toString))
  }

  test("a repeat whose rows have no partition is refused like other changed rows") {
    val (hub, log) = (newHub(), newFolder().toString)
    Breaking.when(_ == 2900)
    intercept[Exception](save(frame, hub, "daily", 1, log))
    Breaking.stop()
    val nothing = spark.range(0).selectExpr("cast(id as string) as body")
    assert(nothing.queryExecution.toRdd.getNumPartitions == 0)
    val refused = intercept[Exception](save(nothing, hub, "daily", 1, log))
    assert(condition(refused) == "EVENTHUBS_EXACTLY_ONCE.ROWS_CHANGED")
    save(frame, hub, "daily", 1, log)
    assertSame(arrived(hub), rows.map(_.toString))
  }

  test("a finished write is not repeated; the next version is written, with the same rows") {
    val (hub, log) = (newHub(), newFolder().toString)
    save(frame, hub, "daily", 1, log)
    save(frame, hub, "daily", 1, log)
    assertSame(arrived(hub), rows.map(_.toString))
    save(frame, hub, "daily", 2, log)
    save(frame, hub, "hourly", 1, log)
    val other = newHub()
    save(frame, other, "daily", 1, log)
    assertSame(arrived(hub), Seq.fill(3)(rows.map(_.toString)).flatten)
    assertSame(arrived(other), rows.map(_.toString))
  }

  test("of two concurrent writers of one version, the second one to record it is refused") {
    val (hub, log) = (newHub(), s"${InterferingFileSystem.Scheme}:${newFolder()}")
    spark.conf.set(InterferingFileSystem.Option, classOf[InterferingFileSystem].getName)
    // Between the read of the log, which has no record yet, and the write of a record.
    InterferingFileSystem.beforeCreating("begun/1")(save(frame, hub, "daily", 1, log))
    try {
      val refused = intercept[Exception](save(frame, hub, "daily", 1, log))
      assert(condition(refused) == "EVENTHUBS_EXACTLY_ONCE.CONCURRENT")
      assertSame(arrived(hub), rows.map(_.toString))
      save(frame, hub, "daily", 1, log)
    } finally spark.conf.unset(InterferingFileSystem.Option)
    assertSame(arrived(hub), rows.map(_.toString))
  }

  test("without an id, a version and a folder it is refused") {
    val hub = newHub()
    Seq(Map.empty, Map("eventhubs.writeId" -> "daily", "eventhubs.writeVersion" -> "1")).foreach { more =>
      val refused = intercept[Exception](
        frame.write.format("eventhubs").options(options(hub, exactlyOnce: _*) ++ more).save()
      )
      assert(condition(refused) == "EVENTHUBS_EXACTLY_ONCE.NO_CHECKPOINT")
    }
    assert(arrived(hub).isEmpty)
  }

  test("in foreachBatch, a query with a new checkpoint does not skip its rows in silence") {
    import spark.implicits._
    val (hub, folder) = (newHub(), newFolder())
    def run(checkpoint: String, rows: Range): Unit = {
      val source = MemoryStream[Int]
      source.addData(rows)
      val query = source.toDF().writeStream
        .foreachBatch((batch: DataFrame, id: Long) =>
          save(fragile(batch), hub, "all", id, folder.resolve("log").toString)
        )
        .option("checkpointLocation", folder.resolve(checkpoint).toString)
        .start()
      try query.processAllAvailable()
      finally query.stop()
    }
    run("first", 0 until 10)
    assert(condition(intercept[Exception](run("second", 10 until 20))) == "EVENTHUBS_INVALID_OPTION")
    assertSame(arrived(hub), (0 until 10).map(_.toString))
  }

  test("in foreachBatch, two writes of a batch each arrive once, whichever of them failed") {
    import spark.implicits._
    val (hub, other, folder) = (newHub(), newHub(), newFolder())
    val source = MemoryStream[Int]
    source.addData(rows)
    def once(): Unit = {
      val query = source.toDF().writeStream
        .foreachBatch { (batch: DataFrame, id: Long) =>
          save(fragile(batch), hub, "all", id, folder.resolve("log").toString)
          // Intended: the same rows into the same hub.
          save(fragile(batch.filter("value >= 1000")), hub, "large", id, folder.resolve("log").toString)
          save(fragile(batch), other, "all", id, folder.resolve("log").toString)
          if (Breaking.row(-1) == 0) throw new AssertionError()
        }
        .option("checkpointLocation", folder.resolve("checkpoint").toString)
        .start()
      try query.processAllAvailable()
      finally query.stop()
    }
    val breaks = Seq[Int => Boolean](_ == 900, _ == 2900, _ == -1)
    breaks.foreach { breaks =>
      Breaking.when(breaks)
      intercept[Exception](once())
    }
    Breaking.stop()
    once()
    source.addData(3000 until 3100)
    once()
    val all = (0 until 3100).map(_.toString)
    assertSame(arrived(hub), all ++ all.filter(_.toInt >= 1000))
    assertSame(arrived(other), all)
  }
}
