package org.apache.spark.sql.eventhubs.planning

import org.apache.spark.SparkContext
import org.apache.spark.eventhubs.executor.ExecutorResources
import org.apache.spark.eventhubs.generation.HubGeneration
import org.apache.spark.eventhubs.options.ReadSettings
import org.apache.spark.eventhubs.rdd.{OffsetRange, OffsetRangeSplitter, TaskPacking}
import org.apache.spark.eventhubs.{DataLossPolicy, NameAndPartition}
import org.apache.spark.util.SystemClock

/**
 * What a batch reads.
 *
 * @param generation the hub that the ranges refer to
 * @param packer     which ranges share a task
 */
private[eventhubs] final case class BatchPlan(
    ranges: Seq[OffsetRange],
    generation: HubGeneration,
    packer: TaskPacking
) {
  def tasks: Seq[Seq[OffsetRange]] = packer.pack(ranges)
}

private[eventhubs] object BatchPlan {

  /** Resolves the positions now. */
  def resolve(sc: SparkContext, settings: ReadSettings, onLost: Long => Unit): BatchPlan = {
    val hub = settings.connection.hub
    val policy = new DataLossPolicy(hub, settings.consumerGroup, settings.failOnDataLoss, onLost)
    val info = new PartitionInfoReader(settings, ExecutorResources.get.clients, new SystemClock)
    try {
      ReadinessCheck(info, settings)
      val snapshot = info.snapshot()
      val resolver = new PositionResolver(settings, info.client, policy)
      val bounds = resolver.batchBounds(snapshot.bounds)
      val partitions = snapshot.bounds.keys.toSeq.sorted
      val packer = TaskPacking.of(settings.maxPartitions, partitions)
      def named(partition: Int) = NameAndPartition(hub.name, partition)
      val atEarliest = resolver.startsAtEarliest(partitions.toSet)
      val leaders = partitions.map(packer.firstPartition).distinct.map(named)
      val locate = new ExecutorLocations(sc, settings.preferredLocations).forBatch(leaders)
      val ranges = partitions.map { partition =>
        val (from, until) = bounds(partition)
        OffsetRange(
          named(partition),
          from,
          until,
          locate(named(packer.firstPartition(partition))),
          startsAtEarliest = atEarliest(partition)
        )
      }
      val splitter = new OffsetRangeSplitter(settings.maxEventsPerTask, settings.minPartitions)
      BatchPlan(splitter.split(ranges), snapshot.planned, packer)
    } finally info.close()
  }
}
