package org.apache.spark.sql.eventhubs.source

import org.apache.spark.SparkContext
import org.apache.spark.eventhubs.options.ReadSettings
import org.apache.spark.eventhubs.rdd.ReadAccumulator
import org.apache.spark.sql.connector.read.{Batch, InputPartition, PartitionReaderFactory}
import org.apache.spark.sql.eventhubs.hubs.BatchPlan

/** A bounded part of an event hub as a V2 batch, for tables in a catalog. */
private[eventhubs] final class EventHubsBatch(sc: SparkContext, settings: ReadSettings, columns: Seq[String])
    extends Batch {

  private val totals = ReadAccumulator.register(sc, settings.connection.hub)

  // Spark plans the partitions of one scan twice, and both results must be equal.
  private lazy val plan = BatchPlan.resolve(sc, settings, totals.addLost)

  override def planInputPartitions(): Array[InputPartition] =
    EventHubsInputPartition.of(plan.tasks, plan.generation)

  override def createReaderFactory(): PartitionReaderFactory = EventHubsPartitionReaderFactory(
    settings,
    EventHubsRowConverter(columns),
    totals,
    reuseReceivers = false
  )
}
