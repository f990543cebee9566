package org.apache.spark.sql.eventhubs.exactlyonce

import java.util.UUID

import scala.annotation.tailrec
import scala.util.control.NonFatal

import org.apache.spark.eventhubs.EventHubName
import org.apache.spark.eventhubs.executor.{ExecutorResources, WriteRuns}
import org.apache.spark.eventhubs.options.{ReadSettings, WriteSettings}
import org.apache.spark.eventhubs.rdd.{EventHubsRDD, EventHubsRDDPartition, ReadAccumulator}
import org.apache.spark.eventhubs.send.SendTotals
import org.apache.spark.internal.Logging
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.eventhubs.hubs.InParallel
import org.apache.spark.sql.eventhubs.sink.{
  CheckedColumns,
  EventHubsWriteColumns,
  EventHubsWriter,
  Fingerprint,
  WriteIdentity
}
import org.apache.spark.sql.execution.QueryExecution
import org.apache.spark.storage.StorageLevel

/**
 * Writes batches exactly once. Before a batch is sent, `log` records the ends of its hubs. A batch that has a record
 * was started before: the writer reads the events that its hubs received since, and skips the rows that are among them.
 *
 * Where each row names its hub, the rows are stored on local disks first: the record must name all hubs of the batch
 * before anything is sent.
 *
 * @param ends of the hub, as the service has just reported them
 */
private[eventhubs] final class ExactlyOnceWriter(
    spark: SparkSession,
    settings: WriteSettings,
    readBack: ReadSettings,
    log: WriteLog,
    ends: Option[HubPositions]
) extends Logging {

  private val hub = settings.connection.hub
  private val checked = new CheckedColumns(settings)
  private var mayListen = Set.empty[String]
  private val positions = new CachedHubPositions(ReadBack.of(readBack, _))
  ends.foreach(positions.note)

  /** Names this run in its records. */
  private val run = UUID.randomUUID().toString

  /**
   * Writes one batch. When it returns, all rows are in their hubs, once.
   *
   * @param query the id of the streaming query that writes the batch
   */
  def write(writeId: WriteIdentity, query: Option[String], batch: QueryExecution): SendTotals = {
    val columns = checked.of(batch.analyzed.schema)
    val own = ExecutorResources.get.writeRuns.begin(ExactlyOnceTask.nameOf(hub, writeId))
    try {
      val totals = repeating(writeId, ExactlyOnceWriter.MaxRepetitions) {
        log.get(writeId.version) match {
          case None =>
            requireKept(writeId)
            if (settings.hubByRow) stored(batch.toRdd)(start(own, writeId, query, columns, _))
            else start(own, writeId, query, columns, batch.toRdd)
          case Some(recorded) =>
            resume(own, writeId.continued(recorded.query), columns, batch.toRdd, recorded)
        }
      }
      EventHubsWriter.logTotals(settings, totals)
      totals
    } finally own.close()
  }

  /** The record of a batch that this run has written; an error when another run has continued the batch meanwhile. */
  def ownRecord(writeId: WriteIdentity): WriteRecord =
    log.owned(writeId.version, run).getOrElse(throw concurrent(writeId))

  private def requireKept(writeId: WriteIdentity): Unit = log.removedSince(writeId.version).foreach { last =>
    throw ExactlyOnceErrors.outcomeUnknown(
      hub,
      writeId.toString,
      s"'${log.path}'",
      s"the records of batches up to $last are removed"
    )
  }

  private def concurrent(writeId: WriteIdentity) = ExactlyOnceErrors.concurrent(hub, writeId.toString, log.path)

  /** Where a restart of the query would help, the batch is repeated as after a restart. */
  @tailrec
  private def repeating(writeId: WriteIdentity, left: Int)(run: => SendTotals): SendTotals = {
    val result =
      try Some(run)
      catch {
        case NonFatal(failed) if left > 0 && ExactlyOnceErrors.mendedByRestart(failed).isDefined =>
          logWarning(s"$writeId failed with ${ExactlyOnceErrors.mendedByRestart(failed).get}, and is repeated")
          None
      }
    result match {
      case Some(totals) => totals
      case None => repeating(writeId, left - 1)(run)
    }
  }

  private def start(
      own: WriteRuns.Run,
      writeId: WriteIdentity,
      query: Option[String],
      columns: EventHubsWriteColumns,
      rows: RDD[InternalRow]
  ): SendTotals = {
    val hubs = if (settings.hubByRow) RowsByHub.hubs(rows, columns, hub) else Seq(hub)
    if (settings.hubByRow) requireListen(hubs)
    val ends = WriteRecord(positions.of(hubs), query, Some(run))
    if (!log.record(writeId.version, ends)) throw concurrent(writeId)
    val task = ExactlyOnceTask(writeId, settings, readBack, columns, ends)
    earlier(own, writeId).marking(sum(rows.mapPartitions(part => Iterator.single(task.run(part, sentBefore = None)))))
  }

  /** Before anything of a batch is sent. A hub that the options name is checked when the query starts. */
  private def requireListen(hubs: Seq[EventHubName]): Unit = {
    val unchecked = hubs.filterNot(of => mayListen(of.key))
    InParallel.map(unchecked)(of => ExactlyOnce.requireListen(ReadBack.of(readBack, of))).foreach(positions.note)
    mayListen ++= unchecked.map(_.key)
  }

  private def resume(
      own: WriteRuns.Run,
      writeId: WriteIdentity,
      columns: EventHubsWriteColumns,
      rows: RDD[InternalRow],
      recorded: WriteRecord
  ): SendTotals = {
    requireSameHubs(writeId, recorded)
    logWarning(s"$writeId was started before; reading back its events from ${recorded.names}")
    val runs = earlier(own, writeId)
    runs.awaitEnd(settings.settleDelay)
    // Before the ends are looked up: a run that does not find this when it ends has sent all its events by then. Of two
    // queries with one checkpoint, Spark stops the one that commits a batch second.
    if (!writeId.isOfQuery && !log.takeOver(writeId.version, run)) throw concurrent(writeId)
    val started = recorded.hubs.map(at => RecordedHub(ReadBack.of(readBack, at.hub), writeId, at, log.path))
    val ends = WriteRecord(InParallel.map(started)(_.readableEnd()))
    // Ends that are kept for later batches may be of before a promotion.
    ends.hubs.foreach(positions.note)
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
    InParallel.map(started.zip(ends.hubs)) { case (of, began) => of.requireSameHub(began) }
    totals
  }

  private def earlier(own: WriteRuns.Run, writeId: WriteIdentity) =
    new EarlierRuns(spark.sparkContext, ExactlyOnceTask.nameOf(hub, writeId), own)

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
      EventHubsRDDPartition.each(ranges),
      FingerprintsOf(writeId, where, RowsByHub.fingerprint(settings, where)),
      reuseReceivers = false,
      ReadAccumulator.register(sc, where),
      until.planned
    ).mapPartitionsWithIndex { (index, events) =>
      // Each range has a task of its own.
      new CompleteRange(events, ranges(index), where, writeId).flatMap(_.toList)
    }
  }

  private def sum(totals: RDD[SendTotals]): SendTotals = totals.collect().foldLeft(SendTotals.Zero)(_ + _)
}

private object ExactlyOnceWriter {

  /** Repetitions after the first run. With it they are four runs, as many as Spark gives a stage. */
  private val MaxRepetitions = 3
}
