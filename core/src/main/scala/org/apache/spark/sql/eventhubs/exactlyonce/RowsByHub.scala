package org.apache.spark.sql.eventhubs.exactlyonce

import scala.collection.mutable

import org.apache.spark.eventhubs.EventHubName
import org.apache.spark.eventhubs.options.WriteSettings
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.eventhubs.sink.{
  EventHubsWriteColumns,
  EventHubsWriteRows,
  Fingerprint,
  HubOfRow,
  WriteIdentity
}

/** The rows of a batch with the hub of each, which is the same for all rows or which each row names. */
private[eventhubs] object RowsByHub {

  /** The hubs that the rows name, each once. */
  def hubs(rows: RDD[InternalRow], columns: EventHubsWriteColumns, ofRows: EventHubName): Seq[EventHubName] = {
    val column = columns.eventHub.get
    val named = rows.mapPartitions { part =>
      val found = mutable.ArrayBuffer.empty[EventHubName]
      val hub = new HubOfRow(column, ofRows, (name: EventHubName) => { found += name; name })
      part.foreach(row => hub(row))
      found.iterator
    }
    // Tasks may spell a name differently.
    named.collect().groupBy(_.key).toSeq.sortBy(_._1).map { case (_, spellings) => spellings.minBy(_.name) }
  }

  /** What stands for the hub in the fingerprints of its events. */
  def fingerprint(settings: WriteSettings, hub: EventHubName): Long =
    if (settings.hubByRow) Fingerprint.hub(hub) else Fingerprint.OneHub

  /** The fingerprint of each row with its task's index. An error when a row names a hub that is not recorded. */
  def fingerprints(
      rows: RDD[InternalRow],
      columns: EventHubsWriteColumns,
      settings: WriteSettings,
      recorded: WriteRecord,
      writeId: WriteIdentity
  ): RDD[(Fingerprint, Int)] =
    rows.mapPartitionsWithIndex { (index, part) =>
      val fingerprint = fingerprintOf(columns, settings, recorded, writeId)
      part.map(row => (fingerprint(row), index))
    }

  /** The fingerprint of the event of a row. For one thread. */
  def fingerprintOf(
      columns: EventHubsWriteColumns,
      settings: WriteSettings,
      recorded: WriteRecord,
      writeId: WriteIdentity
  ): InternalRow => Fingerprint = {
    val ofRows = settings.connection.hub
    def events(hub: EventHubName) =
      new EventHubsWriteRows(columns, settings.destination, hub, settings.writesTombstones, stamp = None)
    def ofHub(hub: EventHubName): (EventHubsWriteRows, Long) =
      if (recorded.of(hub).isEmpty) throw ExactlyOnceTask.notRecorded(hub, writeId)
      else (events(hub), Fingerprint.hub(hub))
    val only = (events(ofRows), Fingerprint.OneHub)
    val named = columns.eventHub.map(new HubOfRow[(EventHubsWriteRows, Long)](_, ofRows, ofHub))
    row => {
      val (of, hub) = named.fold(only)(_(row))
      Fingerprint.of(of.event(row), of.partition(row)).inHub(hub)
    }
  }
}
