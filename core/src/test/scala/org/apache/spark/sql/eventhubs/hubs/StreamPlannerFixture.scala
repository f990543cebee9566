package org.apache.spark.sql.eventhubs.hubs

import java.nio.file.{Files, Path}
import java.util.concurrent.Executor

import scala.collection.mutable

import org.apache.spark.eventhubs.connection.{ClientConnectionPool, FakeHub, FakePartition, SdkFailures}
import org.apache.spark.eventhubs.executor.KnownHubs
import org.apache.spark.eventhubs.listing.HubDirectory
import org.apache.spark.eventhubs.options.ReadSettings
import org.apache.spark.eventhubs.ownership.{GroupOwnership, QueryOwnership}
import org.apache.spark.eventhubs.rdd.{OffsetRange, ReadAccumulator}
import org.apache.spark.eventhubs.{JumpingClock, NameAndPartition, TestSettings}
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.eventhubs.EventHubsSourceOffset
import org.apache.spark.sql.eventhubs.placement.TaskLayout
import org.apache.spark.sql.eventhubs.planning.{HubPlanner, InitialOffsetLog}

/**
 * The planner of a query with hubs in memory; `restart` creates another planner with the same checkpoint.
 *
 * @param firstNames a list of names, or a pattern between slashes
 */
final class StreamPlannerFixture(spark: SparkSession, firstNames: String, options: (String, String)*) {

  val hubs: mutable.Map[String, FakeHub] = mutable.Map.empty
  val clock = new JumpingClock

  /** What the namespace lists: all hubs that answer, unless a test says otherwise. */
  @volatile var directory: HubDirectory = () => hubs.toSeq.filter(_._2.unanswered.isEmpty).map(_._1)
  val folder: Path = Files.createTempDirectory("eventhubs-planner")

  /** Runs routine questions. */
  @volatile var background: Executor = (work: Runnable) => work.run()
  private var totals: ReadAccumulator = _
  private var open: QueryHubs = _
  private var current: StreamPlanner = _

  /** How the next planner that `restart` creates owns the partitions of its hubs. */
  var ownership = Option.empty[QueryOwnership]

  def ownershipOf(hub: String): Option[GroupOwnership] = open(hub).ownership

  val pool: ClientConnectionPool =
    new ClientConnectionPool(settings => hubs(settings.hub.name).connect(settings), clock)

  /** Created on the first use, so that a test fills its hubs before. */
  def planner: StreamPlanner = {
    if (current == null) restart(firstNames)
    current
  }

  /** The planner of one hub, for what happens between two steps of the query's planner. */
  def plannerOf(hub: String): HubPlanner = {
    planner
    open(hub).planner
  }

  def lost: Map[String, Long] = totals.value.lostByHub

  /** Events that expired before the query first read their partition. */
  def expiredAtStart: Long = totals.value.expiredAtStart

  def restart(names: String, more: (String, String)*): Unit = {
    val settings = settingsOf(names, options ++ more)
    val path = folder.toUri.toString
    val log = new InitialOffsetLog(spark, path)
    val start = new QueryStart(log, log.get(0L))
    totals = ReadAccumulator.register(spark.sparkContext, settings.connection.hub)
    val conf = spark.sparkContext.hadoopConfiguration
    // Without the probe of the endpoint, which is not there.
    def check(hub: OpenHub): Unit = { hub.planner.bounds(); () }
    open = new QueryHubs(
      settings,
      path,
      conf,
      start,
      totals,
      pool,
      new KnownHubs(clock, work => background.execute(work)),
      () => directory.names(),
      clock,
      ownership,
      checkReadiness = check
    )
    current = new StreamPlanner(settings, open, start, TaskLayout(spark.sparkContext, settings))
  }

  /** Sets the retained events of a hub's partitions, from 0, and lets the planner's cache expire. */
  def retain(hub: String, ranges: (Long, Long)*): Unit = {
    val fake = hubs.getOrElseUpdate(hub, new FakeHub(0))
    ranges.zipWithIndex.foreach { case ((earliest, latest), id) =>
      val partition = fake.partitions.getOrElseUpdate(id, new FakePartition)
      partition.earliest = earliest
      partition.latest = latest
    }
    clock.advance(60000)
  }

  def recreate(hub: String, ranges: (Long, Long)*): Unit = {
    hubs(hub).createdAt = hubs(hub).createdAt.plusSeconds(3600)
    retain(hub, ranges: _*)
  }

  def remove(hub: String): Unit = {
    hubs(hub).unanswered = Some(SdkFailures.notFound)
    clock.advance(60000)
  }

  def latest(start: EventHubsSourceOffset, limit: Option[Long] = None): EventHubsSourceOffset =
    planner.latestOffset(start, limit)

  /** The ranges of a batch that runs. */
  def planned(start: EventHubsSourceOffset, end: EventHubsSourceOffset): Seq[OffsetRange] = {
    val batch = planner.planned(start, end)
    batch.noteRun()
    batch.ranges
  }

  /** Ranges as hub and partition -> (from, until). */
  def ranges(start: EventHubsSourceOffset, end: EventHubsSourceOffset): Map[NameAndPartition, (Long, Long)] =
    planned(start, end).map(range => range.nameAndPartition -> (range.fromSeqNo, range.untilSeqNo)).toMap

  /** Texts of the checkpoint's files by name. */
  def files: Map[String, String] = {
    val all = Files.walk(folder)
    try
      all.toArray.toSeq.collect { case file: Path if Files.isRegularFile(file) => file }
        .filterNot(_.getFileName.toString.endsWith(".crc"))
        .map(file => folder.relativize(file).toString -> Files.readString(file))
        .toMap
    finally all.close()
  }

  private def settingsOf(names: String, options: Seq[(String, String)]): ReadSettings = ReadSettings.parse(
    Map(
      "eventhubs.connectionString" ->
        s"Endpoint=sb://${TestSettings.hub.namespace}/;SharedAccessKeyName=reader;SharedAccessKey=a2V5",
      (if (names.startsWith("/")) "eventhubs.namePattern" -> names.stripPrefix("/").stripSuffix("/")
       else "eventhubs.name" -> names)
    ) ++ options,
    org.apache.spark.eventhubs.options.ReadMode.Stream
  )
}
