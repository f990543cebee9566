package org.apache.spark.sql.eventhubs.source

import org.apache.spark.eventhubs.executor.ExecutorResources
import org.apache.spark.eventhubs.options.ReadSettings
import org.apache.spark.eventhubs.rdd.{EventHubsRDD, ReadAccumulator}
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.eventhubs.EventHubsSchema
import org.apache.spark.sql.eventhubs.hubs.BatchPlan
import org.apache.spark.sql.sources.{BaseRelation, PrunedScan}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{Row, SQLContext}

/** A bounded part of an event hub as a table. Every scan resolves the positions again. */
private[eventhubs] final class EventHubsRelation(
    override val sqlContext: SQLContext,
    settings: ReadSettings,
    resources: ExecutorResources
) extends BaseRelation
    with PrunedScan {

  override def schema: StructType = EventHubsSchema.of(settings.includeEventHub)

  override def sizeInBytes: Long = RelationSize.estimate(settings, resources).getOrElse(super.sizeInBytes)

  /** The scan builds Spark's internal rows. */
  override def needConversion: Boolean = false

  override def buildScan(requiredColumns: Array[String]): RDD[Row] = {
    val sc = sqlContext.sparkContext
    val totals = ReadAccumulator.register(sc, settings.connection.hub)
    val plan = BatchPlan.resolve(sc, settings, totals.addLost)
    val rdd: RDD[InternalRow] = new EventHubsRDD(
      sc,
      settings,
      plan.tasks,
      EventHubsRowConverter(requiredColumns.toSeq),
      reuseReceivers = false,
      totals,
      plan.generation
    )
    rdd.setName(s"event hub ${settings.connection.hub}").asInstanceOf[RDD[Row]]
  }

  override def toString: String = s"EventHubsRelation(${settings.connection.hub}, ${settings.consumerGroup})"
}
