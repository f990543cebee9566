package org.apache.spark.sql.eventhubs

import org.apache.spark.eventhubs.rdd.EventHubsRDD
import org.apache.spark.sql.eventhubs.compat.SparkInternals
import org.apache.spark.sql.eventhubs.source.{EventHubsRowConverter, EventHubsStream, EventHubsStreamSession}
import org.apache.spark.sql.execution.streaming.{Offset, Source}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{DataFrame, SQLContext}

/** An event hub as a V1 streaming source. */
private[eventhubs] final class EventHubsSource(
    sqlContext: SQLContext,
    override protected val session: EventHubsStreamSession
) extends Source
    with EventHubsStream {

  override def schema: StructType = EventHubsSchema.of(settings.includeEventHub)

  override def getOffset: Option[Offset] =
    throw new UnsupportedOperationException(
      "This source has read limits, so Spark calls latestOffset(Offset, ReadLimit)."
    )

  override def initialOffset(): Offset = session.planner.initialOffset

  override def deserializeOffset(json: String): Offset = EventHubsSourceOffset.parse(json)

  override def commit(end: Offset): Unit = session.committed(EventHubsSourceOffset.from(end))

  override def getBatch(start: Option[Offset], end: Offset): DataFrame = {
    val from = start.fold(session.planner.initialOffset)(EventHubsSourceOffset.from)
    val batch = session.planner.planned(from, EventHubsSourceOffset.from(end))
    val rdd = new EventHubsRDD(
      sqlContext.sparkContext,
      settings,
      batch.tasks,
      EventHubsRowConverter(schema.fieldNames.toSeq),
      reuseReceivers = true,
      session.totals,
      session.planner.resolveGeneration(batch.ranges),
      onPlanned = batch.noteRun
    )
    SparkInternals.streamingFrame(sqlContext, rdd.setName(s"event hub ${settings.connection.hub}"), schema)
  }
}
