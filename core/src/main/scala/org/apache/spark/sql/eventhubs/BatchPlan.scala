package org.apache.spark.sql.eventhubs

import org.apache.spark.SparkContext
import org.apache.spark.eventhubs.client.ExecutorResources
import org.apache.spark.eventhubs.options.ReadSettings
import org.apache.spark.eventhubs.rdd.{OffsetRange, OffsetRangeSplitter}
import org.apache.spark.eventhubs.{DataLossPolicy, NameAndPartition}
import org.apache.spark.util.SystemClock

/**
 * What a batch reads.
 *
 * @param hubScope tells the hub from another one of its name that was there before it
 */
private[eventhubs] final case class BatchPlan(ranges: Seq[OffsetRange], hubScope: String)

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
      val starts = resolver.starts(snapshot.bounds)
      val ends = resolver.ends(snapshot.bounds)
      val names = snapshot.bounds.keys.toSeq.sorted.map(NameAndPartition(hub.name, _))
      val locate = new ExecutorLocations(sc, settings.preferredLocations).forBatch(names)
      val ranges = names.map { name =>
        val start = starts(name.partitionId)
        OffsetRange(name, start, math.max(start, ends(name.partitionId)), locate(name))
      }
      val splitter = new OffsetRangeSplitter(settings.maxEventsPerTask, settings.minPartitions)
      BatchPlan(splitter.split(ranges), snapshot.scope)
    } finally info.close()
  }
}
