package org.apache.spark.sql.eventhubs.exactlyonce

import org.apache.spark.TaskContext
import org.apache.spark.sql.execution.streaming.runtime.MemoryStream
import org.apache.spark.sql.functions._
import org.apache.spark.sql.{DataFrame, SQLContext}
import testkit.TestSuite

/** Exactly-once streams with failures, repetitions and rows in another order. */
class ExactlyOnceStreamSuite extends TestSuite with ExactlyOnceFixture {

  private implicit def sqlContext: SQLContext = spark.sqlContext

  private val rows = 0 until 5000

  private def input(): MemoryStream[Int] = {
    import spark.implicits._
    MemoryStream[Int]
  }

  /** Fails both attempts of a task after most of its rows. */
  private def breakLate(): Unit = Breaking.when(_ == 4800)

  private def assertPartlySent(hub: String): Unit = {
    val sent = arrived(hub).length
    assert(sent > 100 && sent < rows.length, s"$sent of ${rows.length} events were sent")
  }

  test("every batch arrives once, and nothing is read back while nothing fails") {
    val (hub, source) = (newHub(), input())
    val query = start(fragile(source.toDF()), hub, newFolder())
    try
      (0 until 5).foreach { batch =>
        source.addData((batch * 1000) until (batch * 1000 + 1000))
        query.processAllAvailable()
      }
    finally query.stop()
    assertSame(arrived(hub), rows.map(_.toString))
    assert(query.recentProgress.forall(_.sink.metrics.get("foundEvents") == "0"))
  }

  test("a batch that failed halfway is finished after a restart, each event once") {
    val (hub, source, checkpoint) = (newHub(), input(), newFolder())
    source.addData(rows)
    breakLate()
    failure(fragile(source.toDF()), hub, checkpoint)
    Breaking.stop()
    assertPartlySent(hub)
    val metrics = run(fragile(source.toDF()), hub, checkpoint)
    assertSame(arrived(hub), rows.map(_.toString))
    assert(metrics("foundEvents").toInt + metrics("eventsSent").toInt == rows.length)
    assert(metrics("foundEvents").toInt > 100)
  }

  test("with at-least-once the same failure duplicates events") {
    val (hub, source, checkpoint) = (newHub(), input(), newFolder())
    val atLeastOnce = Seq("eventhubs.maxBatchBytes" -> "2k")
    source.addData(rows)
    breakLate()
    failure(fragile(source.toDF()), hub, checkpoint, atLeastOnce)
    Breaking.stop()
    run(fragile(source.toDF()), hub, checkpoint, atLeastOnce)
    assert(arrived(hub).toSet == rows.map(_.toString).toSet)
    assert(arrived(hub).length > rows.length + 100)
  }

  test(
    "rows in another order and in other tasks are recognised, and equal rows are counted"
  ) {
    val (hub, source, checkpoint) = (newHub(), input(), newFolder())
    import spark.implicits._
    // Each value three times, and one value 500 times.
    val values = (rows ++ rows ++ rows ++ Seq.fill(500)(7)).map(value => (value * 31) % 5000)
    source.addData(values)
    def divided(tasks: Int, order: Iterator[Int] => Iterator[Int]): DataFrame =
      fragile(source.toDS().repartition(tasks, col("value") % 17, col("value") % tasks).mapPartitions(order).toDF())
    Breaking.when(_ == 4321)
    failure(divided(3, _.toSeq.sorted.iterator), hub, checkpoint)
    Breaking.stop()
    assert(arrived(hub).length > 100)
    run(divided(5, _.toSeq.sorted.reverseIterator), hub, checkpoint)
    assertSame(arrived(hub), values.map(_.toString))
  }

  test("a second and a third failure of the repeated batch change nothing") {
    val (hub, source, checkpoint) = (newHub(), input(), newFolder())
    source.addData(rows)
    Seq(1500, 3300, 4999).foreach { value =>
      Breaking.when(_ == value)
      failure(fragile(source.toDF()), hub, checkpoint)
    }
    Breaking.stop()
    run(fragile(source.toDF()), hub, checkpoint)
    assertSame(arrived(hub), rows.map(_.toString))
  }

  test("a batch that was completely written but not committed is not written again") {
    val (hub, source, checkpoint) = (newHub(), input(), newFolder())
    source.addData(rows)
    run(fragile(source.toDF()), hub, checkpoint)
    forgetCommit(checkpoint, 0)
    source.addData(5000 until 5100)
    run(fragile(source.toDF()), hub, checkpoint)
    assertSame(arrived(hub), (0 until 5100).map(_.toString))
  }

  test("a repeated task skips the events that its first attempt sent, and keeps the order") {
    val (hub, source) = (newHub(1), input())
    source.addData(rows)
    val failsOnce = udf { (value: Int) =>
      if (value == 4800 && TaskContext.get().attemptNumber() == 0) throw new IllegalStateException("broken on purpose")
      value.toString
    }
    val frame = source.toDF().repartition(1)
      .select(rpad(failsOnce(col("value")), 1000, ".").as("body"), lit("k").as("partitionKey"))
    val metrics = run(frame, hub, newFolder(), heldBack)
    assert(bodies(hub)(0) == rows.map(value => padded(value.toString)))
    assert(metrics("foundEvents").toInt > 100)
  }

  test("rows are equal only if their keys, partitions and properties are equal") {
    val (hub, source, checkpoint) = (newHub(), input(), newFolder())
    source.addData(rows)
    def frame = fragile(source.toDF()).select(
      lit("same").as("body"),
      when(col("body") % 3 === 0, (col("body") % 4).cast("string")).as("partitionId"),
      when(col("body") % 3 === 1, concat(lit("key"), col("body") % 50)).as("partitionKey"),
      map(lit("n"), (col("body") % 10).cast("long")).as("properties"),
      col("body").as("messageId")
    )
    Breaking.when(_ == 4800)
    failure(frame, hub, checkpoint)
    Breaking.stop()
    assertPartlySent(hub)
    run(frame, hub, checkpoint)
    assertSame(written(hub).values.flatten.toSeq.map(_.getMessageId), rows.map(_.toString))
  }

  test("two queries that write the same rows into one hub and both fail each recognise their own events") {
    val (hub, source) = (newHub(), input())
    source.addData(rows)
    val checkpoints = Seq.fill(2)(newFolder())
    breakLate()
    checkpoints.foreach(failure(fragile(source.toDF()), hub, _))
    Breaking.stop()
    checkpoints.foreach(run(fragile(source.toDF()), hub, _))
    assertSame(arrived(hub), rows.flatMap(value => Seq(value.toString, value.toString)))
  }

  test("a stamp that was copied from another hub with the properties is not a stamp of this write") {
    val (first, second, source, checkpoint) = (newHub(), newHub(), input(), newFolder())
    source.addData(rows)
    run(fragile(source.toDF()), first, newFolder())
    def copy = spark.readStream.format("eventhubs").options(options(first))
      .option("eventhubs.startingPosition", "earliest").load().selectExpr("cast(body as string) body", "properties")
    val broken = udf((body: String) => Breaking.row(body.toInt).toString)
    def copied = copy.withColumn("body", broken(col("body")))
    breakLate()
    failure(copied, second, checkpoint)
    Breaking.stop()
    run(copied, second, checkpoint)
    assertSame(arrived(second), rows.map(_.toString))
  }

  test("partitions that were added while the query was stopped are read back too") {
    val (hub, source, checkpoint) = (newHub(2), input(), newFolder())
    source.addData(rows)
    def keyed = fragile(source.toDF()).withColumn("partitionKey", concat(lit("k"), col("body") % 20))
    breakLate()
    failure(keyed, hub, checkpoint)
    localHub.namespace.ensure(localHub.namespace.find(hub).get.config.copy(partitions = 4)).orThrow()
    failure(keyed, hub, checkpoint)
    Breaking.stop()
    run(keyed, hub, checkpoint)
    assertSame(arrived(hub), rows.map(_.toString))
  }

  test("aggregates in Update and Complete mode arrive once") {
    import spark.implicits._
    Seq("update" -> Seq("a=1", "b=2", "a=2"), "complete" -> Seq("a=1", "b=2", "a=2", "b=2")).foreach {
      case (mode, expected) =>
        val (hub, checkpoint, source) = (newHub(), newFolder(), MemoryStream[String])
        def counts =
          source.toDF().groupBy("value").count().select(concat(col("value"), lit("="), col("count")).as("body"))
        def once(): Unit = {
          val query = counts.writeStream.format("eventhubs").options(options(hub, exactlyOnce: _*))
            .option("checkpointLocation", checkpoint.toString).outputMode(mode).start()
          try query.processAllAvailable()
          finally query.stop()
        }
        source.addData("a", "b", "b")
        once()
        source.addData("a")
        once()
        forgetCommit(checkpoint, 1)
        once()
        assertSame(arrived(hub), expected)
    }
  }
}
