package org.apache.spark.sql.eventhubs.planning

import java.nio.file.{Files, Path}

import org.apache.spark.eventhubs.connection.{ClientConnectionPool, FakeHub}
import org.apache.spark.eventhubs.ownership.GroupOwnership
import org.apache.spark.eventhubs.{DataLossPolicy, EventHubsException, JumpingClock, TestSettings}
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.eventhubs.placement.ExecutorLocations
import org.apache.spark.sql.eventhubs.{EventHubsSourceOffset, TestSpark}
import testkit.TestSuite

/** For suites that plan batches. */
trait PlannerTests extends TestSpark { this: TestSuite =>

  protected val lenient = "failOnDataLoss" -> "false"
  protected val earliest = "eventhubs.startingPosition" -> "earliest"

  protected def fixture(partitions: Int, options: (String, String)*): PlannerFixture =
    new PlannerFixture(spark, partitions, options: _*)

  protected def condition(plan: => Any): String = intercept[EventHubsException](plan).getCondition
}

/** A planner with a hub in memory; `restart()` creates another planner with the same checkpoint. */
final class PlannerFixture(spark: SparkSession, partitions: Int, options: (String, String)*) {

  val settings = TestSettings.stream(options: _*)
  val hub = new FakeHub(partitions)
  val clock = new JumpingClock
  val folder: Path = Files.createTempDirectory("eventhubs-planner")
  var lost = 0L
  var skipped = 0L

  /** Of the next planner that `restart()` creates. */
  var ownership = Option.empty[GroupOwnership]

  private val pool = new ClientConnectionPool(hub.connect, clock)
  var planner: StreamPlanner = newPlanner()

  def restart(): Unit = planner = newPlanner()

  /** Sets the retained events of each partition and lets the planner's cache expire. */
  def retain(ranges: (Int, (Long, Long))*): Unit = {
    ranges.foreach { case (id, (earliest, latest)) =>
      val partition = hub.partitions.getOrElseUpdate(id, new org.apache.spark.eventhubs.connection.FakePartition)
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

  def latest(start: EventHubsSourceOffset, limit: Option[Long] = settings.maxEventsPerTrigger): Map[Int, Long] =
    planner.latestOffset(start, limit).of("telemetry")

  /** Ranges as partition -> (from, until). */
  def ranges(start: EventHubsSourceOffset, end: EventHubsSourceOffset): Map[Int, (Long, Long)] =
    planner.ranges(start, end).map(r => r.partitionId -> (r.fromSeqNo, r.untilSeqNo)).toMap

  def offset(seqNos: (Int, Long)*): EventHubsSourceOffset = EventHubsSourceOffset("telemetry", seqNos.toMap)

  private def newPlanner(): StreamPlanner = {
    val path = folder.toUri.toString
    val info = new PartitionInfoReader(settings, pool, clock)
    val policy = new DataLossPolicy(
      settings.connection.hub,
      settings.consumerGroup,
      settings.failOnDataLoss,
      lost += _,
      skipped += _
    )
    new StreamPlanner(
      settings,
      info,
      new InitialOffsetLog(spark, path),
      new HubIdentityTracker(
        new HubIdentityFile(path, spark.sparkContext.hadoopConfiguration),
        path,
        settings.connection.hub
      ),
      new PositionResolver(settings, info.client, policy),
      policy,
      new ExecutorLocations(spark.sparkContext, settings.preferredLocations),
      ownership
    )
  }
}
