package org.apache.spark.sql.eventhubs.exactlyonce

import java.nio.file.Path

import org.scalatest.BeforeAndAfterEach

import localhub.HubConfig
import localhub.amqp.fault.{Fault, FaultAction, FaultScope, Occasion}
import org.apache.spark.TaskContext
import org.apache.spark.sql.SQLContext
import org.apache.spark.sql.eventhubs.source.StoredEvent
import org.apache.spark.sql.execution.streaming.runtime.MemoryStream
import org.apache.spark.sql.functions._
import testkit.TestSuite

/** Answers of the service that lack a partition or a promotion, as those of a replica that lags behind. */
class StaleAnswerSuite extends TestSuite with ExactlyOnceFixture with BeforeAndAfterEach {

  private implicit def sqlContext: SQLContext = spark.sqlContext

  private val rows = 0 until 5000

  private def inject(hub: String, action: FaultAction, on: Occasion, count: Option[Int] = None): Unit = {
    localHub.faults.inject(Fault(action, on, FaultScope(hub = Some(hub)), count = count))
    ()
  }

  private def leaveOutOnePartition(hub: String): Unit =
    inject(hub, FaultAction.FewerPartitions(1), Occasion.ManageHub)

  private def source(): MemoryStream[Int] = {
    import spark.implicits._
    MemoryStream[Int]
  }

  override protected def afterEach(): Unit = {
    Breaking.stop()
    localHub.faults.clear()
    super.afterEach()
  }

  test("a repeated batch reads back the partition that an answer leaves out") {
    val (hub, from, checkpoint) = (newHub(2), source(), newFolder())
    from.addData(rows)
    Breaking.when(_ == 4800)
    failure(fragile(from.toDF()), hub, checkpoint)
    Breaking.stop()
    assert(bodies(hub).values.forall(_.nonEmpty))
    leaveOutOnePartition(hub)
    run(fragile(from.toDF()), hub, checkpoint)
    assertSame(arrived(hub), rows.map(_.toString))
  }

  test("a repeated task reads back the partition that an answer leaves out") {
    val (hub, from) = (newHub(2), source())
    from.addData(rows)
    Breaking.when { value =>
      val isFirst = value == 4800 && TaskContext.get().attemptNumber() == 0
      if (isFirst) leaveOutOnePartition(hub)
      isFirst
    }
    val frame = fragile(from.toDF().repartition(1)).select(rpad(col("body"), 1000, ".").as("body"))
    val metrics = run(frame, hub, newFolder(), heldBack)
    assertSame(arrived(hub), rows.map(value => padded(value.toString)))
    assert(metrics("foundEvents").toInt > 300)
  }

  /** A batch that failed after the promotion of a region that lacks events of the batch before it. */
  private def promoted(): (String, MemoryStream[Int], Path) = {
    val (hub, from, checkpoint) = (newHub(1), source(), newFolder())
    localHub.deleteHub(hub)
    localHub.createHub(HubConfig(hub, 1, geoReplication = true))
    from.addData(rows)
    run(fragile(from.toDF()), hub, checkpoint)
    from.addData(rows.map(_ + rows.length))
    Breaking.when(_ == 9800)
    failure(fragile(from.toDF()), hub, checkpoint)
    Breaking.stop()
    val sent = arrived(hub).length
    assert(sent > rows.length)
    localHub.promote(hub, unreplicated = sent - 4000L)
    (hub, from, checkpoint)
  }

  test("a promotion stops a repeated batch, although the first answer does not know it") {
    val (hub, from, checkpoint) = promoted()
    val log = localHub.namespace.find(hub).map(_.partitions.head).getOrElse(fail("no hub"))
    StoredEvent.append(log, "of the new region".getBytes, Map.empty[String, AnyRef], None)
    inject(hub, FaultAction.OlderEpoch, Occasion.Manage, count = Some(1))
    assert(condition(failure(fragile(from.toDF()), hub, checkpoint)) == "EVENTHUBS_EXACTLY_ONCE.OUTCOME_UNKNOWN")
    assert(localHub.faults.active.isEmpty, "the answer was given")
  }

  test("a promotion that no answer knows stops a repeated batch too, because events are missing") {
    val (hub, from, checkpoint) = promoted()
    inject(hub, FaultAction.OlderEpoch, Occasion.Manage)
    val failed = failure(fragile(from.toDF()), hub, checkpoint, exactlyOnce :+ ("eventhubs.operationTimeout" -> "4s"))
    assert(condition(failed) == "EVENTHUBS_EXACTLY_ONCE.OUTCOME_UNKNOWN")
  }
}
