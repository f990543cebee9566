package org.apache.spark.sql.eventhubs.hubs

import org.apache.spark.SparkContext
import org.apache.spark.eventhubs.executor.ExecutorResources
import org.apache.spark.eventhubs.generation.HubGeneration
import org.apache.spark.eventhubs.options.ReadSettings
import org.apache.spark.eventhubs.rdd.{EventHubsRDDPartition, OffsetRange}
import org.apache.spark.eventhubs.retry.MonotonicClock
import org.apache.spark.eventhubs.{DataLossPolicy, NameAndPartition}
import org.apache.spark.sql.eventhubs.placement.TaskLayout
import org.apache.spark.sql.eventhubs.planning.{PartitionInfoReader, PositionResolver, ReadinessCheck}

/**
 * What a batch reads.
 *
 * @param generation the hub, or hubs, that the ranges refer to
 */
private[eventhubs] final case class BatchPlan(tasks: Seq[EventHubsRDDPartition], generation: HubGeneration)

private[eventhubs] object BatchPlan {

  /**
   * Resolves the positions now.
   *
   * @param onLost called with a hub and the number of its lost events, when `failOnDataLoss` is off
   */
  def resolve(sc: SparkContext, settings: ReadSettings, onLost: (String, Long) => Unit): BatchPlan = {
    val hubs = InParallel.map(SelectedHubs.now(settings)) { hub =>
      hub -> ofHub(settings.ofHub(hub), onLost(hub, _))
    }
    val ranges = hubs.flatMap { case (_, (ranges, _)) => ranges }
    val generations = hubs.map { case (hub, (_, generation)) => hub -> generation }
    val tasks = TaskLayout(sc, settings).tasks(ranges.map(_.nameAndPartition), ranges)
    BatchPlan(tasks, HubGeneration.ofHubs(generations))
  }

  /** The ranges of one hub, without preferred locations, and the hub's generation. */
  private def ofHub(settings: ReadSettings, onLost: Long => Unit): (Seq[OffsetRange], HubGeneration) = {
    val hub = settings.connection.hub
    val policy = new DataLossPolicy(hub, settings.consumerGroup, settings.failOnDataLoss, onLost)
    val info = PartitionInfoReader.alone(settings, ExecutorResources.get.clients, new MonotonicClock)
    try {
      ReadinessCheck(info, settings)
      val resolver = new PositionResolver(settings, info.client, policy)
      val snapshot = info.snapshot(resolver.checkpointed(_))
      val bounds = resolver.batchBounds(snapshot)
      val partitions = snapshot.bounds.keys.toSeq.sorted
      val atEarliest = resolver.startsAtEarliest(partitions.toSet)
      val ranges = partitions.map { partition =>
        val (from, until) = bounds(partition)
        OffsetRange(NameAndPartition(hub.name, partition), from, until, startsAtEarliest = atEarliest(partition))
      }
      (ranges, snapshot.planned)
    } finally info.close()
  }
}
