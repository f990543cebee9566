package org.apache.spark.sql.eventhubs.exactlyonce

import org.apache.spark.eventhubs.EventHubsErrors
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
  WriteName
}
import org.apache.spark.sql.execution.QueryExecution
import org.apache.spark.storage.StorageLevel

/**
 * Writes batches exactly once. Before a batch is sent, `log` records where the hub ends. A batch that has a record was
 * begun before: what it brought into the hub since is read, and each of its rows that is there is left out.
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
  def write(name: WriteName, query: QueryExecution): SendTotals = {
    val columns = EventHubsWriter.checkColumns(query.analyzed.schema, settings)
    val totals = log.get(name.version) match {
      case None => begin(name, columns, query.toRdd)
      case Some(begun) => goOn(name, columns, query.toRdd, begun)
    }
    EventHubsWriter.logTotals(settings, totals)
    totals
  }

  private def begin(name: WriteName, columns: EventHubsWriteColumns, rows: RDD[InternalRow]): SendTotals = {
    val start = positions.get()
    if (!log.record(name.version, start)) throw EventHubsErrors.exactlyOnceConcurrent(hub, name.toString, log.path)
    val task = ExactlyOnceTask(name, settings, readBack, columns, start)
    sum(rows.mapPartitions(part => Iterator.single(task.run(part, Iterator.empty))))
  }

  private def goOn(
      name: WriteName,
      columns: EventHubsWriteColumns,
      rows: RDD[InternalRow],
      begun: HubPositions
  ): SendTotals = {
    logWarning(s"$name was begun before; looking for what it has already brought into $hub")
    Thread.sleep(settings.settleDelay.toMillis)
    val start = positionsAfter(name, begun)
    // Read twice: for the fingerprints, and to be sent. Both must see the same rows in the same tasks.
    val kept = rows.map(_.copy()).persist(StorageLevel.DISK_ONLY)
    try {
      val (destination, where) = (settings.destination, hub)
      val fingerprints = kept.mapPartitionsWithIndex { (index, part) =>
        val events = new EventHubsWriteRows(columns, destination, where, stamp = None)
        part.map(row => (Fingerprint.of(events.event(row), events.partition(row)), index))
      }
      val credits = AlreadyWrittenCounts.divide(hub, name, fingerprints, eventsBetween(name, begun, start))
      val task = ExactlyOnceTask(name, settings, readBack, columns, start)
      sum(kept.zipPartitions(credits)((part, sent) => Iterator.single(task.run(part, sent))))
    } finally {
      kept.unpersist(blocking = false)
      ()
    }
  }

  /** Where the hub ends now, once it is certain that all that came since `begun` can be read. */
  private def positionsAfter(name: WriteName, begun: HubPositions): HubPositions = {
    def unknowable(why: String) = EventHubsErrors.exactlyOnceUnknowable(hub, name.toString, s"'${log.path}'", why)
    if (!begun.hub.name.equalsIgnoreCase(hub.name) || begun.hub.namespace != hub.namespace)
      throw unknowable(s"it was begun in event hub ${begun.hub}")
    val (now, earliest) = ReadBack.now(readBack)
    if (now.generation != begun.generation)
      throw unknowable(s"the hub was recreated at ${now.generation.time}; the record is of ${begun.generation}")
    begun.until(now).foreach { range =>
      val first = earliest(range.partitionId)
      if (first > range.fromSeqNo)
        throw unknowable(
          s"partition ${range.partitionId} would have to be read from sequence number ${range.fromSeqNo}, and retention has removed " +
            s"the events before $first"
        )
    }
    now
  }

  private def eventsBetween(name: WriteName, from: HubPositions, until: HubPositions): RDD[Fingerprint] = {
    val sc = spark.sparkContext
    new EventHubsRDD(
      sc,
      readBack,
      from.until(until).toArray,
      FingerprintsOf(name, hub),
      reuseReceivers = false,
      ReadAccumulator.register(sc, hub),
      from.generation
    ).flatMap(_.toList)
  }

  private def sum(totals: RDD[SendTotals]): SendTotals = totals.collect().foldLeft(SendTotals.Zero)(_ + _)
}
