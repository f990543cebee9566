package org.apache.spark.sql.eventhubs.source

import org.apache.spark.eventhubs.DataLossPolicy
import org.apache.spark.eventhubs.connection.PartitionBounds
import org.apache.spark.eventhubs.executor.ExecutorResources
import org.apache.spark.eventhubs.options.ReadSettings
import org.apache.spark.eventhubs.rdd.ReadAccumulator
import org.apache.spark.eventhubs.receive.MeanEventSize
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.eventhubs.EventHubsSourceOffset
import org.apache.spark.sql.eventhubs.compat.SparkInternals
import org.apache.spark.sql.eventhubs.planning.{
  ExecutorLocations,
  HubIdentityFile,
  HubIdentityTracker,
  InitialOffsetLog,
  PartitionInfoReader,
  PositionResolver,
  ReadinessCheck,
  StreamPlanner,
  TriggerDelay
}
import org.apache.spark.util.SystemClock

/** The driver's resources of one streaming read, opened when the query starts and closed when it stops. */
private[eventhubs] final class EventHubsStreamSession(
    val settings: ReadSettings,
    spark: SparkSession,
    metadataPath: String
) extends AutoCloseable {

  private val sc = spark.sparkContext
  private val hub = settings.connection.hub
  private val info = new PartitionInfoReader(settings, ExecutorResources.get.clients, new SystemClock)

  /** Totals of the query's tasks, and the lost events. */
  val totals: ReadAccumulator = ReadAccumulator.register(sc, hub)

  /** The mean size of the events, for limits in bytes. */
  val eventSize = new MeanEventSize

  /** Delays small batches. */
  val delay = new TriggerDelay(new SystemClock)

  private val policy =
    new DataLossPolicy(
      hub,
      settings.consumerGroup,
      settings.failOnDataLoss,
      totals.addLost,
      totals.addExpiredAtStart
    )

  val planner: StreamPlanner =
    try {
      ReadinessCheck(info, settings)
      new StreamPlanner(
        settings,
        info,
        new InitialOffsetLog(spark, metadataPath),
        new HubIdentityTracker(
          new HubIdentityFile(metadataPath, SparkInternals.hadoopConf(spark)),
          metadataPath,
          hub
        ),
        new PositionResolver(settings, info.client, policy),
        policy,
        new ExecutorLocations(sc, settings.preferredLocations)
      )
    } catch {
      case failed: Throwable =>
        info.close()
        throw failed
    }

  /** None without a checkpoint store to publish in. */
  val publication: Option[StorePublication] =
    try StorePublication.open(settings)
    catch {
      case failed: Throwable =>
        info.close()
        throw failed
    }

  /** The query has committed everything before `end`. Returns at once. */
  def committed(end: EventHubsSourceOffset, bounds: => Map[Int, PartitionBounds] = Map.empty): Unit =
    publication.foreach(_.committed(end, totals.value.recent, bounds))

  /** Publishes what waits before the query lets go of the hub. */
  override def close(): Unit =
    try publication.foreach(_.close())
    finally info.close()
}
