package org.apache.spark.sql.eventhubs.exactlyonce

import org.apache.spark.scheduler.{ExecutorProcessLost, TaskSchedulerImpl}
import org.apache.spark.sql.SQLContext
import org.apache.spark.sql.eventhubs.cluster.ClusterFixture
import org.apache.spark.sql.execution.streaming.runtime.MemoryStream
import org.apache.spark.sql.functions._
import testkit.TestSuite

/** A task that the driver has given up with its executor, although both are alive, in a cluster of processes. */
class GivenUpTaskSuite extends TestSuite with ClusterFixture with StopAndStart {

  override protected def master: String = "local-cluster[1,2,1024]"

  /** What Spark does when it gets no heartbeat of an executor for long. The executor's next offer brings it back. */
  private def loseAndFindExecutor(): Unit = {
    val scheduler = spark.sparkContext.taskScheduler.asInstanceOf[TaskSchedulerImpl]
    scheduler.executorLost(executors.head, ExecutorProcessLost("no heartbeat, says the test"))
  }

  test("a new run whose tasks meet it stops, takes its permit, and the next run finishes: each event once") {
    awaitExecutors(1)
    import spark.implicits._
    implicit val sqlContext: SQLContext = spark.sqlContext
    val (hub, checkpoint, held, rows) = (newHub(), newFolder(), new HeldRow(newFolder(), row = 25), MemoryStream[Int])
    rows.addData(0 until 50)
    val frame = held.compute(rows.toDF()).select(rpad(col("value").cast("string"), 1000, ".").as("body"))
    val first = start(frame, hub, checkpoint)
    try eventually(s"${stored(hub)} events were sent")(held.isHeld && stored(hub) >= 20)
    finally first.stop()
    loseAndFindExecutor()
    val before = stored(hub)
    assert(condition(failure(frame, hub, checkpoint)) == "EVENTHUBS_EXACTLY_ONCE.TASK_STILL_RUNS")
    assert(stored(hub) == before && !held.hasEnded)
    held.release()
    eventually("the task that was given up does not end")(held.hasEnded)
    run(frame, hub, checkpoint)
    assertSame(arrived(hub).map(_.takeWhile(_ != '.')), (0 until 50).map(_.toString))
  }
}
