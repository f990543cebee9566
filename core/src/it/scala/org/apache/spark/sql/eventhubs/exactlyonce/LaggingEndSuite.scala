package org.apache.spark.sql.eventhubs.exactlyonce

import org.scalatest.BeforeAndAfterEach

import localhub.amqp.fault.{Fault, FaultAction, FaultScope, Occasion}
import org.apache.spark.TaskContext
import org.apache.spark.sql.SQLContext
import org.apache.spark.sql.execution.streaming.runtime.MemoryStream
import org.apache.spark.sql.functions._
import testkit.TestSuite

/** The service reports ends that lack the last events of each partition, as a replica that lags behind does. */
class LaggingEndSuite extends TestSuite with ExactlyOnceFixture with BeforeAndAfterEach {

  private implicit def sqlContext: SQLContext = spark.sqlContext

  private val rows = 0 until 5000

  private def lag(hub: String): Unit = {
    localHub.faults.inject(Fault(FaultAction.LagBehind(300), Occasion.Manage, FaultScope(hub = Some(hub))))
    ()
  }

  private def source(): MemoryStream[Int] = {
    import spark.implicits._
    val source = MemoryStream[Int]
    source.addData(rows)
    source
  }

  override protected def afterEach(): Unit = {
    localHub.faults.clear()
    super.afterEach()
  }

  test("a repeated batch finds the events after the reported ends, also when its own task is repeated") {
    val (hub, from, checkpoint) = (newHub(), source(), newFolder())
    Breaking.when(_ == 4800)
    failure(fragile(from.toDF()), hub, checkpoint)
    Breaking.stop()
    val before = arrived(hub).length
    assert(before > 400 && before < rows.length)
    lag(hub)
    val failsOnce = udf { (value: String) =>
      if (value == "4900" && TaskContext.get().attemptNumber() == 0)
        throw new IllegalStateException("broken on purpose")
      value
    }
    run(fragile(from.toDF()).select(failsOnce(col("body")).as("body")), hub, checkpoint)
    assertSame(arrived(hub), rows.map(_.toString))
  }

  test("a repeated task finds the events after the reported ends") {
    val (hub, from) = (newHub(1), source())
    lag(hub)
    val failsOnce = udf { (value: Int) =>
      if (value == 4800 && TaskContext.get().attemptNumber() == 0) throw new IllegalStateException("broken on purpose")
      value.toString
    }
    val frame = from.toDF().repartition(1).select(rpad(failsOnce(col("value")), 1000, ".").as("body"))
    val metrics = run(frame, hub, newFolder(), heldBack)
    assertSame(arrived(hub), rows.map(value => padded(value.toString)))
    assert(metrics("foundEvents").toInt > 300)
  }

  test("a batch whose answer was lost is found after the reported end") {
    val (hub, from) = (newHub(), source())
    lag(hub)
    localHub.faults.inject(
      Fault(FaultAction.DropConnection, Occasion.Stored, FaultScope(hub = Some(hub)), skip = 20, count = Some(3))
    )
    val frame = from.toDF().selectExpr("cast(value as string) as body")
    run(frame, hub, newFolder(), exactlyOnce :+ ("eventhubs.settleDelay" -> "1s"))
    assertSame(arrived(hub), rows.map(_.toString))
    assert(localHub.faults.active.filter(_.fault.occasion == Occasion.Stored).forall(_.hits > 0))
  }

  test("other writers who never pause do not keep the search for an end from ending") {
    val (hub, from) = (newHub(1), source())
    lag(hub)
    localHub.faults.inject(
      Fault(FaultAction.DropConnection, Occasion.Stored, FaultScope(hub = Some(hub)), skip = 20, count = Some(1))
    )
    @volatile var isOver = false
    val other = new Thread(() =>
      while (!isOver) {
        run(spark.range(50).selectExpr("cast(-1 as string) as body"), hub)
      }
    )
    other.start()
    try run(from.toDF().selectExpr("cast(value as string) as body"), hub, newFolder())
    finally {
      isOver = true
      other.join()
    }
    assertSame(arrived(hub).filter(_ != "-1"), rows.map(_.toString))
  }

  private def run(frame: org.apache.spark.sql.DataFrame, hub: String): Unit =
    frame.write.format("eventhubs").options(options(hub)).save()
}
