package org.apache.spark.sql.eventhubs.exactlyonce

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.eventhubs.sink.{Fingerprint, FingerprintCounts}

/**
 * Leaves out the rows of a task that earlier attempts have sent. It returns no row before it has found all of those, so
 * that nothing is sent of rows that have changed. The rows that it meets on the way are stored, and keep their order:
 * they are few where the rows come in the order of the earlier attempt.
 *
 * @param sent        the events of this task in the hubs
 * @param fingerprint of the event of a row
 * @param newStore    for the rows that are not among those
 * @param onChanged   makes the failure; its argument is the number of events that are not among the rows
 */
private[eventhubs] final class UnsentRows(
    sent: FingerprintCounts,
    fingerprint: InternalRow => Fingerprint,
    newStore: () => RowStore,
    onChanged: Long => Throwable
) {

  private var foundRows = 0L

  /** The number of rows that were left out. */
  def found: Long = foundRows

  def of(rows: Iterator[InternalRow]): Iterator[InternalRow] =
    if (sent.left == 0) rows
    else {
      val unsent = newStore()
      while (sent.left > 0 && rows.hasNext) {
        val row = rows.next()
        if (sent.take(fingerprint(row))) foundRows += 1 else unsent.add(row)
      }
      if (sent.left > 0) throw onChanged(sent.left)
      unsent.all() ++ rows
    }
}

/** Rows in their order: first all are added, then all are read once. */
private[eventhubs] trait RowStore {

  /** The caller may use the row again. */
  def add(row: InternalRow): Unit

  def all(): Iterator[InternalRow]
}
