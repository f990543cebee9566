package org.apache.spark.sql.eventhubs.exactlyonce

import org.apache.spark.eventhubs.executor.ExecutorResources
import org.apache.spark.eventhubs.options.{ReadSettings, WriteSettings}
import org.apache.spark.eventhubs.rdd.{EventHubsRDD, ReadAccumulator}
import org.apache.spark.eventhubs.send.SendTotals
import org.apache.spark.internal.Logging
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.eventhubs.hubs.InParallel
import org.apache.spark.sql.eventhubs.sink.{EventHubsWriteColumns, EventHubsWriter, Fingerprint, WriteIdentity}
import org.apache.spark.sql.execution.QueryExecution
import org.apache.spark.storage.StorageLevel

/**
 * Writes batches exactly once. Before a batch is sent, `log` records the ends of its hubs. A batch that has a record
 * was started before: the writer reads the events that its hubs received since, and skips the rows that are among them.
 *
 * Where each row names its hub, the rows are stored on local disks first: the record must name all hubs of the batch
 * before anything is sent.
 */
private[eventhubs] final class ExactlyOnceWriter(
    spark: SparkSession,
    settings: WriteSettings,
    readBack: ReadSettings,
    log: WriteLog
) extends Logging {

  private val hub = settings.connection.hub
  private val positions = new CachedHubPositions(ReadBack.of(readBack, _))

  /** When it returns, all rows are in their hubs, once. */
  def write(writeId: WriteIdentity, query: QueryExecution): SendTotals = {
    val columns = EventHubsWriter.checkColumns(query.analyzed.schema, settings)
    val name = ExactlyOnceTask.nameOf(hub, writeId)
    val run = ExecutorResources.get.writeRuns.begin(name)
    try {
      val runs = new EarlierRuns(spark.sparkContext, name, run)
      val totals = log.get(writeId.version) match {
        case None if settings.hubByRow => stored(query.toRdd)(start(runs, writeId, columns, _))
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
    val hubs = if (settings.hubByRow) RowsByHub.hubs(rows, columns, hub) else Seq(hub)
    val ends = WriteRecord(positions.of(hubs))
    if (!log.record(writeId.version, ends)) throw ExactlyOnceErrors.concurrent(hub, writeId.toString, log.path)
    val task = ExactlyOnceTask(writeId, settings, readBack, columns, ends)
    runs.marking(sum(rows.mapPartitions(part => Iterator.single(task.run(part, sentBefore = None)))))
  }

  private def resume(
      runs: EarlierRuns,
      writeId: WriteIdentity,
      columns: EventHubsWriteColumns,
      rows: RDD[InternalRow],
      recorded: WriteRecord
  ): SendTotals = {
    requireSameHubs(writeId, recorded)
    logWarning(s"$writeId was started before; reading back its events from ${recorded.names}")
    runs.awaitEnd(settings.settleDelay)
    val started = recorded.hubs.map(at => RecordedHub(ReadBack.of(readBack, at.hub), writeId, at, log.path))
    val ends = WriteRecord(InParallel.map(started)(_.readableEnd()))
    // The rows are read twice, for the fingerprints and to send them. Both must see the same rows in the same tasks.
    val totals = stored(withTask(rows)) { rows =>
      val fingerprints = RowsByHub.fingerprints(rows, columns, settings, recorded, writeId)
      val found = spark.sparkContext.union(started.zip(ends.hubs).map { case (of, end) => eventsBetween(of, end) })
      val written = AlreadyWrittenCounts.perTask(hub, writeId, fingerprints, found)
      val task = ExactlyOnceTask(writeId, settings, readBack, columns, ends)
      runs.marking {
        sum(rows.zipPartitions(written)((part, sent) => Iterator.single(task.run(part, Some(sent)))))
      }
    }
    // Otherwise a part of the batch would be in the old hub and a part in the new one.
    InParallel.map(started)(_.requireSameHub())
    totals
  }

  /** Rows without partitions would have no task, which notices that earlier rows are missing. */
  private def withTask(rows: RDD[InternalRow]): RDD[InternalRow] =
    if (rows.getNumPartitions > 0) rows else spark.sparkContext.parallelize(Seq.empty[InternalRow], numSlices = 1)

  /** Runs `use` with the rows on local disks: each use of them sees the same rows in the same tasks. */
  private def stored[A](rows: RDD[InternalRow])(use: RDD[InternalRow] => A): A = {
    val persisted = rows.map(_.copy()).persist(StorageLevel.DISK_ONLY)
    try use(persisted)
    finally {
      persisted.unpersist(blocking = false)
      ()
    }
  }

  private def requireSameHubs(writeId: WriteIdentity, recorded: WriteRecord): Unit = {
    val isSame = recorded.hubs.forall(_.hub.namespace == hub.namespace) &&
      (settings.hubByRow || recorded.hubs.length == 1 && recorded.of(hub).isDefined)
    if (!isSame)
      throw ExactlyOnceErrors.outcomeUnknown(
        hub,
        writeId.toString,
        s"'${log.path}'",
        s"it was started in event hub ${recorded.names}"
      )
  }

  private def eventsBetween(from: RecordedHub, until: HubPositions): RDD[Fingerprint] = {
    val sc = spark.sparkContext
    val (ranges, where, writeId) = (from.at.until(until), from.at.hub, from.writeId)
    new EventHubsRDD(
      sc,
      from.settings,
      ranges.toArray,
      FingerprintsOf(writeId, where, RowsByHub.fingerprint(settings, where)),
      reuseReceivers = false,
      ReadAccumulator.register(sc, where),
      from.at.planned
    ).mapPartitionsWithIndex { (index, events) =>
      // Each range has a task of its own.
      new CompleteRange(events, ranges(index), where, writeId).flatMap(_.toList)
    }
  }

  private def sum(totals: RDD[SendTotals]): SendTotals = totals.collect().foldLeft(SendTotals.Zero)(_ + _)
}
