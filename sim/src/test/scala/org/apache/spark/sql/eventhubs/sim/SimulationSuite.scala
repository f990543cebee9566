package org.apache.spark.sql.eventhubs.sim

import org.apache.spark.eventhubs.NameAndPartition
import org.apache.spark.eventhubs.rdd.OffsetRange
import org.apache.spark.eventhubs.sim.{SimHub, StoredEvent, World}
import testkit.{LongTest, TestSuite}

/** A short search, and what the model must find. */
class SimulationSuite extends TestSuite {

  test("no seed of a short search breaks a promise") {
    (1L to 12L).foreach { seed =>
      val outcome = Simulation.run(RunPlan.of(seed))
      assert(outcome.violation.isEmpty, s"with seed $seed")
      assert(outcome.events > 0, s"with seed $seed")
    }
  }

  test("a seed gives the same run again") {
    val plan = RunPlan.of(13)
    assert(Simulation.run(plan).copy(violation = None) == Simulation.run(plan).copy(violation = None))
  }

  private val world = new World(1)
  private val hub = new SimHub(world, 1, isReplicated = false)
  (0 until 10).foreach(_ => hub.append(0, 10))

  private def event(seqNo: Long): StoredEvent = hub.partitions(0).events.get(seqNo)

  private def result(from: Long, until: Long, seqNos: Seq[Long], lost: Long = 0): RangeResult =
    RangeResult(OffsetRange(NameAndPartition("telemetry", 0), from, until), 0, 0, seqNos.map(event), lost, 0, 0)

  private def violated(check: ReadModel => Unit): String =
    intercept[Violation](check(new ReadModel(hub, isCompacted = false))).kind

  test("the model finds an event that is missing, repeated, out of order, or reported as lost although it is there") {
    assert(violated(_.checkTask(result(0, 3, Seq(0, 1)))) == "silent loss")
    assert(violated(_.checkTask(result(0, 3, Seq(0, 2, 1)))) == "order")
    assert(violated(_.checkTask(result(0, 3, Seq(0, 1, 3)))) == "order")
    assert(violated(_.checkTask(result(0, 3, Seq(0, 1), lost = 1))) == "false loss")
    new ReadModel(hub, isCompacted = false).checkTask(result(0, 3, Seq(0, 1, 2)))
  }

  test("the model finds batches that overlap or leave events out") {
    def after(second: RangeResult)(model: ReadModel): Unit = {
      model.commit(0, Seq(result(0, 3, Seq(0, 1, 2))), reported = 0)
      model.commit(1, Seq(second), reported = 0)
    }
    assert(violated(after(result(2, 4, Seq(2, 3)))) == "position")
    assert(violated(after(result(4, 5, Seq(4)))) == "silent loss")
    assert(violated(after(result(3, 5, Seq(2, 4)))) == "duplicate")
    after(result(3, 5, Seq(3, 4)))(new ReadModel(hub, isCompacted = false))
  }
}

/** A longer search, and whether defects of the connector are found. */
@LongTest
class LongSimulationSuite extends TestSuite {

  override def timeLimit: org.scalatest.time.Span = org.scalatest.time.Span(20, org.scalatest.time.Minutes)

  test("no seed of a longer search breaks a promise") {
    (1L to 500L).foreach(seed => assert(Simulation.run(RunPlan.of(seed)).violation.isEmpty, s"with seed $seed"))
  }
}
