package org.apache.spark.sql.eventhubs

import org.apache.spark.SparkContext
import org.apache.spark.eventhubs.client.{ExecutorResources, HubScope}
import org.apache.spark.eventhubs.options.ReadSettings
import org.apache.spark.eventhubs.rdd.{OffsetRange, OffsetRangeSplitter}
import org.apache.spark.eventhubs.{DataLossPolicy, NameAndPartition}
import org.apache.spark.util.SystemClock

/**
 * What a batch reads.
 *
 * @param scope the hub that the ranges are of
 */
private[eventhubs] final case class BatchPlan(ranges: Seq[OffsetRange], scope: HubScope)

private[eventhubs] object BatchPlan {

  /** Resolves the positions as of now. */
  def apply(sc: SparkContext, settings: ReadSettings, onLost: Long => Unit): BatchPlan = {
    val hub = settings.connection.hub
    val policy = new DataLossPolicy(hub, settings.consumerGroup, settings.failOnDataLoss, onLost)
    val info = new PartitionInfoReader(settings, ExecutorResources.get.clients, new SystemClock)
    try {
      ReadinessCheck(info, settings)
      val snapshot = info.snapshot()
      val resolver = new PositionResolver(settings, info.client, policy)
      val bounds = resolver.batch(snapshot.bounds)
      val names = snapshot.bounds.keys.toSeq.sorted.map(NameAndPartition(hub.name, _))
      val locate = new ExecutorLocations(sc, settings.preferredLocations).forBatch(names)
      val ranges = names.map { name =>
        val (from, until) = bounds(name.partitionId)
        OffsetRange(name, from, until, locate(name))
      }
      val splitter = new OffsetRangeSplitter(settings.maxEventsPerTask, settings.minPartitions)
      BatchPlan(splitter.split(ranges), snapshot.scope)
    } finally info.close()
  }
}
