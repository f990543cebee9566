package org.apache.spark.sql.eventhubs.source

import java.util.UUID

import org.apache.hadoop.fs.Path

import org.apache.spark.SparkEnv
import org.apache.spark.eventhubs.NameAndPartition
import org.apache.spark.eventhubs.connection.PartitionBounds
import org.apache.spark.eventhubs.executor.ExecutorResources
import org.apache.spark.eventhubs.listing.NamespaceHubs
import org.apache.spark.eventhubs.options.ReadSettings
import org.apache.spark.eventhubs.ownership.{OwnerId, QueryOwnership}
import org.apache.spark.eventhubs.rdd.ReadAccumulator
import org.apache.spark.eventhubs.receive.MeanEventSize
import org.apache.spark.eventhubs.retry.MonotonicClock
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.eventhubs.EventHubsSourceOffset
import org.apache.spark.sql.eventhubs.compat.SparkInternals
import org.apache.spark.sql.eventhubs.hubs.{QueryHubs, QueryStart, StreamPlanner}
import org.apache.spark.sql.eventhubs.placement.TaskLayout
import org.apache.spark.sql.eventhubs.planning.InitialOffsetLog

/** The driver's resources of one streaming read, opened when the query starts and closed when it stops. */
private[eventhubs] final class EventHubsStreamSession(
    val settings: ReadSettings,
    spark: SparkSession,
    metadataPath: String
) extends AutoCloseable {

  import EventHubsStreamSession._

  private val sc = spark.sparkContext

  Option(SparkEnv.get).foreach(ExecutorResources.driverLink.listen)

  /** Totals of the query's tasks, and the lost events. */
  val totals: ReadAccumulator = ReadAccumulator.register(sc, settings.connection.hub)

  /** The mean size of the events, for limits in bytes. */
  val eventSize = new MeanEventSize

  /** Delays small batches. */
  val delay = new TriggerDelay(new MonotonicClock)

  private val start = {
    val log = new InitialOffsetLog(spark, metadataPath)
    new QueryStart(log, log.get(0L))
  }

  /** None without a checkpoint store to publish in. */
  val publication: Option[StorePublication] =
    StorePublication.open(settings, (partition, seqNo) => hubs.mayPublish(partition, seqNo))

  private val hubs: QueryHubs =
    try
      new QueryHubs(
        settings,
        metadataPath,
        SparkInternals.hadoopConf(spark),
        start,
        totals,
        ExecutorResources.get.clients,
        ExecutorResources.get.knownHubs,
        new NamespaceHubs(settings.connection),
        new MonotonicClock,
        QueryOwnership.of(settings, owner)
      )
    catch {
      case failed: Throwable =>
        publication.foreach(_.close())
        throw failed
    }

  /** Two sources of one query that read the same partitions are two owners. */
  private def owner: OwnerId = {
    val query = queryId.getOrElse(UUID.randomUUID.toString)
    OwnerId(s"spark-$query-${new Path(metadataPath).getName}", UUID.randomUUID.toString)
  }

  private def queryId: Option[String] = Option(sc.getLocalProperty(QueryId))

  val planner: StreamPlanner =
    try {
      hubs.checkReadiness()
      new StreamPlanner(settings, hubs, start, TaskLayout(sc, settings))
    } catch {
      case failed: Throwable =>
        close()
        throw failed
    }

  queryId.foreach(id => sc.listenerBus.post(StreamOpened(UUID.fromString(id))))

  /** The query has committed everything before `end`. Returns at once. */
  def committed(end: EventHubsSourceOffset, bounds: => Map[NameAndPartition, PartitionBounds] = Map.empty): Unit =
    publication.foreach(_.committed(planner.readBefore(end), totals.value.recent, bounds))

  /** Publishes what waits, then releases the partitions: their next owner continues there. */
  override def close(): Unit =
    try publication.foreach(_.close())
    finally {
      try hubs.close()
      finally ExecutorResources.get.receivers.queryStopped(settings)
    }
}

private object EventHubsStreamSession {

  /** Spark sets it in the thread of a streaming query. It stays the same when the query restarts. */
  private val QueryId = "sql.streaming.queryId"
}
