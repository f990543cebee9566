package org.apache.spark.sql.eventhubs.exactlyonce

import java.time.Duration

import localhub.amqp.fault.{Fault, FaultAction, FaultScope, Occasion}
import org.apache.spark.sql.eventhubs.DuplicateEvents
import org.apache.spark.sql.execution.streaming.runtime.MemoryStream
import org.apache.spark.sql.{DataFrame, SQLContext}
import testkit.TestSuite

/** At-least-once writers that stamp events, and readers that drop the duplicates. */
class DuplicateEventsSuite extends TestSuite with ExactlyOnceFixture {

  private implicit def sqlContext: SQLContext = spark.sqlContext

  // Each value twice, and one value 100 times: these equal rows are intended.
  private val values = ((0 until 2000) ++ (0 until 2000) ++ Seq.fill(100)(7)).sortBy(_ * 31 % 2000)

  private val stamped = Seq("eventhubs.stampEvents" -> "true", "eventhubs.maxBatchBytes" -> "2k")

  private def read(hub: String): DataFrame =
    spark.read.format("eventhubs").options(options(hub)).load()

  private def bodiesOf(events: DataFrame): Seq[String] =
    events.selectExpr("cast(body as string)").collect().map(_.getString(0)).toSeq

  private def assertDuplicatesDropped(hub: String): Unit = {
    val sent = arrived(hub)
    assert(sent.length > values.length, "nothing was sent twice")
    assertSame(bodiesOf(DuplicateEvents.drop(read(hub), Duration.ofMinutes(10))), values.map(_.toString))
  }

  Seq("true", "false").foreach { throughV1 =>
    val options = stamped :+ ("eventhubs.useV1Sink" -> throughV1)

    test(s"a batch that was repeated after a restart has no duplicates, useV1Sink=$throughV1") {
      import spark.implicits._
      val (hub, checkpoint, source) = (newHub(), newFolder(), MemoryStream[Int])
      source.addData(values)
      Breaking.when(_ == values.last)
      failure(fragile(source.toDF()), hub, checkpoint, options)
      Breaking.stop()
      run(fragile(source.toDF()), hub, checkpoint, options)
      assertDuplicatesDropped(hub)
    }
  }

  test("answers that were lost after storing") {
    import spark.implicits._
    val (hub, source) = (newHub(), MemoryStream[Int])
    source.addData(values)
    localHub.faults.inject(
      Fault(FaultAction.DropConnection, Occasion.Stored, FaultScope(Some(hub)), skip = 5, count = Some(3))
    )
    try run(fragile(source.toDF()), hub, newFolder(), stamped)
    finally localHub.faults.clear()
    assertDuplicatesDropped(hub)
  }

  test("a batch write of the same id and version") {
    val hub = newHub()
    import spark.implicits._
    val frame = values.toDF("value").selectExpr("cast(value as string) as body").coalesce(1)
    def save(version: Int): Unit = frame.write.format("eventhubs").options(options(hub, stamped: _*))
      .option("eventhubs.writeId", "daily").option("eventhubs.writeVersion", version.toLong).save()
    save(1)
    save(1)
    assertDuplicatesDropped(hub)
    save(2)
    assert(DuplicateEvents.drop(read(hub), Duration.ofMinutes(10)).count() == 2L * values.length)
  }

  test("a stream drops them with a bounded state, over batches and a restart") {
    import spark.implicits._
    val (hub, folder, source) = (newHub(), newFolder(), MemoryStream[Int])
    source.addData(values)
    run(fragile(source.toDF()), hub, folder.resolve("write"), stamped)
    def distinct = DuplicateEvents.drop(
      spark.readStream.format("eventhubs").options(options(hub)).option(
        "eventhubs.startingPosition",
        "earliest"
      ).load(),
      Duration.ofMinutes(10)
    ).selectExpr("cast(body as string) as body")
    val copy = newHub()
    run(distinct, copy, folder.resolve("read"))
    forgetCommit(folder.resolve("write"), 0)
    run(fragile(source.toDF()), hub, folder.resolve("write"), stamped)
    assert(arrived(hub).length == 2 * values.length)
    run(distinct, copy, folder.resolve("read"))
    assertSame(arrived(copy), values.map(_.toString))
  }

  /** What a stream with small micro-batches keeps of two partitions, of which one was written after the other. */
  private def keptOfUnequalPartitions(keepLate: Boolean): Seq[String] = {
    import spark.implicits._
    val hub = newHub(2)
    def write(partition: Int, values: Range): Unit =
      values.map(_.toString).toDF("body").selectExpr("body", s"'$partition' as partitionId").coalesce(1)
        .write.format("eventhubs").options(options(hub, stamped: _*)).save()
    write(0, 0 until 300)
    val written = System.currentTimeMillis
    eventually("the clock stands still")(System.currentTimeMillis > written + 10)
    write(1, 300 until 310)
    val events = spark.readStream.format("eventhubs")
      .options(options(hub, "eventhubs.startingPosition" -> "earliest", "eventhubs.maxEventsPerTrigger" -> "50"))
      .load()
    val kept = DuplicateEvents.drop(events, Duration.ofMillis(5), keepLate)
    val copy = newHub()
    run(kept.selectExpr("cast(body as string) as body"), copy, newFolder())
    arrived(copy)
  }

  test("a stream keeps the events of a partition that is far behind another one") {
    assertSame(keptOfUnequalPartitions(keepLate = true), (0 until 310).map(_.toString))
  }

  test("with a watermark on enqueuedTime, Spark drops late events") {
    val kept = keptOfUnequalPartitions(keepLate = false)
    assert(kept.size < 310)
    assert(kept.contains("309"))
  }

  test("events without an id are kept, all of them") {
    val hub = newHub()
    import spark.implicits._
    Seq.fill(500)("same").toDF("body").write.format("eventhubs").options(options(hub)).save()
    assert(DuplicateEvents.drop(read(hub), Duration.ofMinutes(10)).count() == 500)
  }

  test("events without an id of two hubs are kept, all of them") {
    import spark.implicits._
    val hubs = Seq(newHub(), newHub())
    val rows = Seq.fill(500)("same").toDF("body").selectExpr("body", "'0' as partitionId")
    hubs.foreach(hub => rows.write.format("eventhubs").options(options(hub)).save())
    val both = hubs.map(read).reduce(_.union(_))
    assert(DuplicateEvents.drop(both, Duration.ofMinutes(10)).count() == 1000)

    val streams = hubs.map { hub =>
      spark.readStream.format("eventhubs").options(options(hub)).option("eventhubs.startingPosition", "earliest").load()
    }
    val copy = newHub()
    run(
      DuplicateEvents.drop(
        streams.reduce(_.union(_)),
        Duration.ofMinutes(10)
      ).selectExpr("cast(body as string) as body"),
      copy,
      newFolder()
    )
    assert(arrived(copy).length == 1000)
  }

  test("events that were written exactly once are kept, all of them") {
    import spark.implicits._
    val (hub, source) = (newHub(), MemoryStream[Int])
    source.addData(values)
    run(fragile(source.toDF()), hub, newFolder())
    assert(DuplicateEvents.drop(read(hub), Duration.ofMinutes(10)).count() == values.length)
  }
}
