package org.apache.spark.sql.eventhubs

import org.apache.spark.eventhubs.{DataLossPolicy, NameAndPartition}
import org.apache.spark.eventhubs.client.ExecutorResources
import org.apache.spark.eventhubs.options.ReadSettings
import org.apache.spark.eventhubs.rdd.{EventHubsRDD, OffsetRange, OffsetRangeSplitter, ReadAccumulator}
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.{Row, SQLContext}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.sources.{BaseRelation, PrunedScan}
import org.apache.spark.sql.types.StructType
import org.apache.spark.util.SystemClock

/** A bounded part of an event hub as a table. Positions are resolved anew each time that it is scanned. */
private[eventhubs] final class EventHubsRelation(override val sqlContext: SQLContext, settings: ReadSettings)
    extends BaseRelation
    with PrunedScan {

  override def schema: StructType = EventHubsSchema.schema

  /** The scan builds Spark's internal rows itself. */
  override def needConversion: Boolean = false

  override def buildScan(requiredColumns: Array[String]): RDD[Row] = {
    val sc = sqlContext.sparkContext
    val totals = ReadAccumulator.register(sc, settings.connection.hub)
    val policy =
      new DataLossPolicy(settings.connection.hub, settings.consumerGroup, settings.failOnDataLoss, totals.addLost)
    val (ranges, hubScope) = plan(policy)
    val rdd: RDD[InternalRow] = new EventHubsRDD(
      sc,
      settings,
      ranges.toArray,
      EventHubsRowConverter(requiredColumns.toSeq),
      reuseReceivers = false,
      totals,
      hubScope
    )
    rdd.setName(s"event hub ${settings.connection.hub}").asInstanceOf[RDD[Row]]
  }

  override def toString: String = s"EventHubsRelation(${settings.connection.hub}, ${settings.consumerGroup})"

  /** The ranges, and which hub they are of. */
  private def plan(policy: DataLossPolicy): (Seq[OffsetRange], String) = {
    val info = new PartitionInfoReader(settings, ExecutorResources.get.clients, new SystemClock)
    try {
      ReadinessCheck(info, settings)
      val snapshot = info.snapshot()
      val bounds = snapshot.bounds
      val resolver = new PositionResolver(settings, info.client, policy)
      val starts = resolver.starts(bounds)
      val ends = resolver.ends(bounds)
      val names = bounds.keys.toSeq.sorted.map(NameAndPartition(settings.connection.hub.name, _))
      val locate = new ExecutorLocations(sqlContext.sparkContext, settings.preferredLocations).forBatch(names)
      val ranges = names.map { name =>
        val start = starts(name.partitionId)
        OffsetRange(name, start, math.max(start, ends(name.partitionId)), locate(name))
      }
      new OffsetRangeSplitter(settings.maxEventsPerTask, settings.minPartitions).split(ranges) -> snapshot.scope
    } finally info.close()
  }
}
