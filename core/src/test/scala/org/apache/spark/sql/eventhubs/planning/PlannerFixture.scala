package org.apache.spark.sql.eventhubs.planning

import java.nio.file.Path

import org.apache.spark.eventhubs.connection.{FakeHub, FakePartition}
import org.apache.spark.eventhubs.ownership.{GroupOwnership, QueryOwnership}
import org.apache.spark.eventhubs.rdd.OffsetRange
import org.apache.spark.eventhubs.{EventHubsException, JumpingClock, NameAndPartition, TestSettings}
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.eventhubs.hubs.{OpenBatch, StreamPlanner, StreamPlannerFixture}
import org.apache.spark.sql.eventhubs.{EventHubsSourceOffset, TestSpark}
import testkit.TestSuite

/** For suites that plan batches of one hub. */
trait PlannerTests extends TestSpark { this: TestSuite =>

  protected val lenient = "failOnDataLoss" -> "false"
  protected val earliest = "eventhubs.startingPosition" -> "earliest"

  protected def fixture(partitions: Int, options: (String, String)*): PlannerFixture =
    new PlannerFixture(spark, partitions, options: _*)

  protected def condition(plan: => Any): String = intercept[EventHubsException](plan).getCondition
}

/** The planner of a query of one hub in memory; `restart()` creates another planner with the same checkpoint. */
final class PlannerFixture(spark: SparkSession, partitions: Int, options: (String, String)*) {

  private val name = "telemetry"
  private val query = new StreamPlannerFixture(spark, name, options: _*)

  val hub = new FakeHub(partitions)
  query.hubs(name) = hub

  def clock: JumpingClock = query.clock

  /** Asks routine questions in other threads from now on. */
  def askInBackground(): Unit = query.background = work => new Thread(work).start()

  def folder: Path = query.folder

  def planner: StreamPlanner = query.planner

  /** The part of the planner that knows this hub. */
  def hubPlanner: HubPlanner = query.plannerOf(name)

  private var lostBefore = 0L
  private var skippedBefore = 0L

  /** Lost events, of the planners before too. */
  def lost: Long = lostBefore + query.lost.values.sum

  /** Events that expired before the query first read their partition, as all planners counted them. */
  def skipped: Long = skippedBefore + query.expiredAtStart

  def ownership: Option[GroupOwnership] = query.ownershipOf(name)

  /** @param ownership of the query's partitions from now on */
  def restart(ownership: Option[QueryOwnership] = None): Unit = {
    planner
    lostBefore = lost
    skippedBefore = skipped
    query.ownership = ownership
    query.restart(name)
  }

  /** Sets the retained events of each partition and lets the planner's cache expire. */
  def retain(ranges: (Int, (Long, Long))*): Unit = {
    ranges.foreach { case (id, (earliest, latest)) =>
      val partition = hub.partitions.getOrElseUpdate(id, new FakePartition)
      partition.earliest = earliest
      partition.latest = latest
    }
    clock.advance(60000)
  }

  def remove(id: Int): Unit = {
    hub.partitions.remove(id)
    clock.advance(60000)
  }

  def recreate(ranges: (Int, (Long, Long))*): Unit = {
    hub.createdAt = hub.createdAt.plusSeconds(3600)
    retain(ranges: _*)
  }

  def latest(
      start: EventHubsSourceOffset,
      limit: Option[Long] = TestSettings.stream(options: _*).maxEventsPerTrigger
  ): Map[Int, Long] = planner.latestOffset(start, limit).of(name)

  /** The ranges of a batch that runs. */
  def planned(start: EventHubsSourceOffset, end: EventHubsSourceOffset): Seq[OffsetRange] = query.planned(start, end)

  /** Ranges as partition -> (from, until). */
  def ranges(start: EventHubsSourceOffset, end: EventHubsSourceOffset): Map[Int, (Long, Long)] =
    planned(start, end).map(r => r.partitionId -> (r.fromSeqNo, r.untilSeqNo)).toMap

  def close(batch: OpenBatch, nextSeqNos: Map[Int, Long]): EventHubsSourceOffset =
    planner.close(batch, nextSeqNos.map { case (id, seqNo) => NameAndPartition(name, id) -> seqNo })

  def offset(seqNos: (Int, Long)*): EventHubsSourceOffset = EventHubsSourceOffset(name, seqNos.toMap)
}
