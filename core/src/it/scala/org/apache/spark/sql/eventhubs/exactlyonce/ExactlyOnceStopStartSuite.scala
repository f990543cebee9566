package org.apache.spark.sql.eventhubs.exactlyonce

import org.apache.spark.sql.SQLContext
import org.apache.spark.sql.execution.streaming.runtime.MemoryStream
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.{StreamingQuery, StreamingQueryException}
import testkit.TestSuite

/** A query is stopped and started again in one application, while a killed task is still busy with a row. */
class ExactlyOnceStopStartSuite extends TestSuite with StopAndStart {

  private implicit def sqlContext: SQLContext = spark.sqlContext

  private val stop: StreamingQuery => Unit = _.stop()

  private def input(values: Range*): MemoryStream[Int] = {
    import spark.implicits._
    val source = MemoryStream[Int]
    // One task for each.
    values.foreach(source.addData(_))
    source
  }

  private def of(value: Int, length: Int): String = value.toString.padTo(length, '.')

  test("large rows: each row fills a batch, and the next one sends it") {
    val (hub, checkpoint, held) = (newHub(), newFolder(), new HeldRow(newFolder(), row = 3))
    val length = 600000
    val frame = held.compute(input(0 until 6).toDF()).select(rpad(col("value").cast("string"), length, ".").as("body"))
    val options = exactlyOnce :+ ("eventhubs.maxBatchBytes" -> "1m")
    restartWhileBusy(frame, held, hub, checkpoint, sentBefore = 2, rows = 6, options)(stop)
    assertSame(arrived(hub).map(_.take(8)), (0 until 6).map(of(_, length).take(8)))
  }

  test("small rows, and another task that fails") {
    val (hub, checkpoint, held) = (newHub(), newFolder(), new HeldRow(newFolder(), row = 25))
    val fails = udf((value: Int) => Breaking.row(value))
    val frame = held.compute(input(0 until 50, 100 until 150).toDF())
      .select(rpad(fails(col("value")).cast("string"), 1000, ".").as("body"))
    Breaking.when(value => value == 149 && held.isHeld)
    try
      restartWhileBusy(frame, held, hub, checkpoint, sentBefore = 20, rows = 100, exactlyOnce) { query =>
        intercept[StreamingQueryException](query.awaitTermination())
        Breaking.stop()
      }
    finally Breaking.stop()
    assertSame(arrived(hub), ((0 until 50) ++ (100 until 150)).map(of(_, 1000)))
  }

  test("a plan whose last operator does not ask whether the task was killed") {
    import spark.implicits._
    val (hub, checkpoint, held) = (newHub(), newFolder(), new HeldRow(newFolder(), row = 400))
    val busy = held.function
    val frame = input(0 until 1).toDS().flatMap(_ => Iterator.range(0, 1000).map(busy)).toDF("value")
      .select(rpad(col("value").cast("string"), 100, ".").as("body"))
    restartWhileBusy(frame, held, hub, checkpoint, sentBefore = 300, rows = 1000, exactlyOnce)(stop)
    assertSame(arrived(hub), (0 until 1000).map(of(_, 100)))
  }
}
