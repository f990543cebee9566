package org.apache.spark.sql.eventhubs.exactlyonce

import org.apache.spark.eventhubs.EventHubsErrors
import org.apache.spark.eventhubs.executor.ExecutorResources
import org.apache.spark.eventhubs.options.{ReadSettings, WriteSettings}
import org.apache.spark.eventhubs.rdd.{EventHubsRDD, ReadAccumulator}
import org.apache.spark.eventhubs.send.SendTotals
import org.apache.spark.internal.Logging
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.eventhubs.sink.{
  EventHubsWriteColumns,
  EventHubsWriteRows,
  EventHubsWriter,
  Fingerprint,
  WriteIdentity
}
import org.apache.spark.sql.execution.QueryExecution
import org.apache.spark.storage.StorageLevel

/**
 * Writes batches exactly once. Before a batch is sent, `log` records the hub's ends. A batch that has a record was
 * started before: the writer reads the events that the hub received since, and skips the rows that are among them.
 */
private[eventhubs] final class ExactlyOnceWriter(
    spark: SparkSession,
    settings: WriteSettings,
    readBack: ReadSettings,
    log: WriteLog
) extends Logging {

  private val hub = settings.connection.hub
  private val positions = new CachedHubPositions(readBack)

  /** When it returns, all rows are in the hub, once. */
  def write(writeId: WriteIdentity, query: QueryExecution): SendTotals = {
    val columns = EventHubsWriter.checkColumns(query.analyzed.schema, settings)
    val name = ExactlyOnceTask.nameOf(hub, writeId)
    val run = ExecutorResources.get.writeRuns.begin(name)
    try {
      val runs = new EarlierRuns(spark.sparkContext, name, run)
      val totals = log.get(writeId.version) match {
        case None => start(runs, writeId, columns, query.toRdd)
        case Some(recorded) => resume(runs, writeId, columns, query.toRdd, recorded)
      }
      EventHubsWriter.logTotals(settings, totals)
      totals
    } finally run.close()
  }

  private def start(
      runs: EarlierRuns,
      writeId: WriteIdentity,
      columns: EventHubsWriteColumns,
      rows: RDD[InternalRow]
  ): SendTotals = {
    val ends = positions.get()
    if (!log.record(writeId.version, ends)) throw EventHubsErrors.exactlyOnceConcurrent(hub, writeId.toString, log.path)
    val task = ExactlyOnceTask(writeId, settings, readBack, columns, ends)
    runs.marking(sum(rows.mapPartitions(part => Iterator.single(task.run(part, sentBefore = None)))))
  }

  private def resume(
      runs: EarlierRuns,
      writeId: WriteIdentity,
      columns: EventHubsWriteColumns,
      rows: RDD[InternalRow],
      recorded: HubPositions
  ): SendTotals = {
    logWarning(s"$writeId was started before; reading back its events from $hub")
    runs.awaitEnd(settings.settleDelay)
    val ends = readableEnds(writeId, recorded)
    // The rows are read twice, for the fingerprints and to send them. Both must see the same rows in the same tasks.
    val persisted = rows.map(_.copy()).persist(StorageLevel.DISK_ONLY)
    try {
      val (destination, where, tombstones) = (settings.destination, hub, settings.writesTombstones)
      val fingerprints = persisted.mapPartitionsWithIndex { (index, part) =>
        val events = new EventHubsWriteRows(columns, destination, where, tombstones, stamp = None)
        part.map(row => (Fingerprint.of(events.event(row), events.partition(row)), index))
      }
      val written = AlreadyWrittenCounts.perTask(hub, writeId, fingerprints, eventsBetween(writeId, recorded, ends))
      val task = ExactlyOnceTask(writeId, settings, readBack, columns, ends)
      val totals = runs.marking {
        sum(persisted.zipPartitions(written)((part, sent) => Iterator.single(task.run(part, Some(sent)))))
      }
      // Otherwise a part of the batch would be in the old hub and a part in the new one.
      requireSameHub(writeId, recorded, ReadBack.reportedPositions(readBack)._1)
      totals
    } finally {
      persisted.unpersist(blocking = false)
      ()
    }
  }

  /** The hub's ends now; an error unless all events since `recorded` can be read. */
  private def readableEnds(writeId: WriteIdentity, recorded: HubPositions): HubPositions = {
    if (!recorded.hub.name.equalsIgnoreCase(hub.name) || recorded.hub.namespace != hub.namespace)
      throw unknowable(writeId, s"it was started in event hub ${recorded.hub}")
    val (reported, earliest) = ReadBack.reportedPositions(readBack)
    requireSameHub(writeId, recorded, reported)
    val now = new PartitionEnds(readBack, ExecutorResources.get, checkCancelled = () => ()).after(reported)
    recorded.until(now).foreach { range =>
      val first = earliest(range.partitionId)
      if (first > range.fromSeqNo)
        throw unknowable(
          writeId,
          s"partition ${range.partitionId} must be read from sequence number ${range.fromSeqNo}, and retention has removed " +
            s"the events before $first"
        )
    }
    now
  }

  private def requireSameHub(writeId: WriteIdentity, recorded: HubPositions, now: HubPositions): Unit = {
    recorded.promotionUntil(now).foreach(why => throw unknowable(writeId, why))
    if (now.generation != recorded.generation)
      throw unknowable(
        writeId,
        s"the hub was recreated at ${now.generation.time}; the record is of ${recorded.generation}"
      )
  }

  private def unknowable(writeId: WriteIdentity, why: String) =
    EventHubsErrors.exactlyOnceUnknowable(hub, writeId.toString, s"'${log.path}'", why)

  private def eventsBetween(writeId: WriteIdentity, from: HubPositions, until: HubPositions): RDD[Fingerprint] = {
    val sc = spark.sparkContext
    val (ranges, where) = (from.until(until), hub)
    new EventHubsRDD(
      sc,
      readBack,
      ranges.toArray,
      FingerprintsOf(writeId, hub),
      reuseReceivers = false,
      ReadAccumulator.register(sc, hub),
      from.generation
    ).mapPartitionsWithIndex { (index, events) =>
      // Each range has a task of its own.
      new CompleteRange(events, ranges(index), where, writeId).flatMap(_.toList)
    }
  }

  private def sum(totals: RDD[SendTotals]): SendTotals = totals.collect().foldLeft(SendTotals.Zero)(_ + _)
}
