package org.apache.spark.sql.eventhubs

import org.apache.spark.eventhubs.DataLossPolicy
import org.apache.spark.eventhubs.client.ExecutorResources
import org.apache.spark.eventhubs.options.ReadSettings
import org.apache.spark.sql.SparkSession
import org.apache.spark.util.SystemClock

/** What one streaming query needs on the driver to read a hub, opened when it starts and closed when it stops. */
private[eventhubs] final class EventHubsStreamSession(
    val settings: ReadSettings,
    spark: SparkSession,
    metadataPath: String
) extends AutoCloseable {

  private val sc = spark.sparkContext
  private val hub = settings.connection.hub
  private val info = new PartitionInfoReader(settings, ExecutorResources.get.clients, new SystemClock)

  /** Events that were gone before they could be read, counted where that is not an error. */
  val lostEvents = sc.longAccumulator(s"lost events of ${hub.name}")

  private val policy =
    new DataLossPolicy(hub, settings.consumerGroup, settings.failOnDataLoss, count => lostEvents.add(count))

  val planner: StreamPlanner =
    try {
      ReadinessCheck(info, settings)
      new StreamPlanner(
        settings,
        info,
        new InitialOffsetLog(spark, metadataPath),
        new HubIdentityTracker(new HubIdentityFile(metadataPath, sc.hadoopConfiguration), metadataPath, hub),
        new PositionResolver(settings, info.client, policy),
        policy,
        new ExecutorLocations(sc, settings.preferredLocations)
      )
    } catch {
      case failed: Throwable =>
        info.close()
        throw failed
    }

  override def close(): Unit = info.close()
}
