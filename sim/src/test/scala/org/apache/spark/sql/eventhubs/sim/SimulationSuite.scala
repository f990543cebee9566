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

  test("the model finds a row that is mixed of two events, and losses that are more than what is reported") {
    assert(violated(_.checkRow(1, "100", event(2))) == "mixed row")
    assert(violated(_.checkRow(2, "100", event(2))) == "mixed row")
    new ReadModel(hub, isCompacted = false).checkRow(2, "200", event(2))
    assert(violated { model =>
      model.commit(0, Seq(result(0, 3, Seq(0, 1, 2))), reported = 0)
      model.commit(1, Seq(result(6, 7, Seq(6))), reported = 2)
    } == "silent loss")
  }

  test("the model finds at the end an event that no batch has brought") {
    assert(violated { model =>
      model.starts(Map(0 -> 0L))
      model.commit(0, Seq(result(0, 3, Seq(0, 2), lost = 1)), reported = 1)
      model.checkEnd()
    } == "silent loss")
    val complete = new ReadModel(hub, isCompacted = false)
    complete.starts(Map(0 -> 0L))
    complete.commit(0, Seq(result(0, 3, Seq(0, 1, 2))), reported = 0)
    complete.checkEnd()
  }

  test("an error is true only while the hub has what it says and the query has not passed it") {
    val other = new SimHub(new World(1), 1, isReplicated = true)
    (0 until 10).foreach(_ => other.append(0, 10))
    val model = new ReadModel(other, isCompacted = false)
    val errors = new ErrorModel(other, model, outagesUntil = other.world.now + 1000)
    def areTrue(kinds: String*) = assert(
      Seq("EXPIRED", "RECREATED", "FAILED_OVER", "GAP", "PARTITION_REMOVED")
        .filter(kind => errors.isTrue(s"EVENTHUBS_DATA_LOSS.$kind")) == kinds
    )
    def commit(from: Long, until: Long, generation: Int, epoch: Int): Unit = model.commit(
      0,
      Seq(RangeResult(OffsetRange(NameAndPartition("telemetry", 0), from, until), generation, epoch, Nil, 0, 0, 0)),
      reported = 100
    )
    commit(0, 3, generation = 0, epoch = 1)
    areTrue()
    other.partitions(0).expire(5)
    areTrue("EXPIRED")
    commit(5, 6, generation = 0, epoch = 1)
    areTrue()
    other.partitions(0).gaps += 7
    areTrue("GAP")
    other.promote(_ => 0)
    areTrue("FAILED_OVER", "GAP")
    commit(8, 9, generation = 0, epoch = 2)
    areTrue()
    other.recreate(0)
    areTrue("RECREATED", "GAP")
    commit(0, 0, generation = 1, epoch = 1)
    areTrue()
    assert(errors.isTrue("EVENTHUBS_TIMEOUT") && !errors.isTrue("EVENTHUBS_MALFORMED_EVENT"))
    other.world.runUntil(other.world.now + 2000)
    assert(!errors.isTrue("EVENTHUBS_TIMEOUT"))
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
