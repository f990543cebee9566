package org.apache.spark.sql.eventhubs

import org.apache.spark.eventhubs.client.{OutgoingLimits, OutgoingQueue, OutgoingTotals, ProducerPool}
import org.apache.spark.eventhubs.options.WriteSettings
import org.apache.spark.sql.catalyst.InternalRow

/**
 * Sends the rows of one partition of the frame. All is in the hub when `commit` returns, and only then; a task that
 * fails may have sent a part, which its next attempt sends again.
 *
 * @param checkCancelled throws when Spark has cancelled the task
 */
private[eventhubs] final class EventHubsWriteTask(
    settings: WriteSettings,
    columns: EventHubsWriteColumns,
    pool: ProducerPool,
    checkCancelled: () => Unit
) extends AutoCloseable {

  private val lease = pool.lend(settings.connection)
  private val queue = OutgoingQueue(lease, OutgoingLimits.of(settings), checkCancelled)
  private val rows = new EventHubsWriteRows(columns, settings.destination, settings.connection.hub)

  def write(row: InternalRow): Unit = queue.add(rows.event(row), rows.partition(row))

  def commit(): OutgoingTotals = {
    queue.flush()
    queue.totals
  }

  /** As if what was taken so far were confirmed. */
  def taken: OutgoingTotals = queue.taken

  /** Gives the producer back. What was not committed is left to its fate: it may arrive or not. */
  override def close(): Unit = lease.close()
}
