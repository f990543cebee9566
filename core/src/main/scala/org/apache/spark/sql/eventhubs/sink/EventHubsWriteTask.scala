package org.apache.spark.sql.eventhubs.sink

import org.apache.spark.eventhubs.connection.ProducerPool
import org.apache.spark.eventhubs.options.WriteSettings
import org.apache.spark.eventhubs.send.{BatchAccumulator, InDoubtBatchLookup, SendLimits, SendTotals}
import org.apache.spark.sql.catalyst.InternalRow

/**
 * Sends the rows of one partition of the frame. All is in the hub when `commit` returns, and only then; a task that
 * fails may have sent a part, which its next attempt sends again.
 *
 * @param checkCancelled throws when Spark has cancelled the task
 * @param doubts         finds out whether a batch is in the hub whose answer was lost; with it, a task that fails also
 *                       waits for the answers to what it has sent, so that its next attempt finds all of it
 */
private[eventhubs] final class EventHubsWriteTask(
    settings: WriteSettings,
    columns: EventHubsWriteColumns,
    pool: ProducerPool,
    checkCancelled: () => Unit,
    stamping: EventStamper = NoStamper,
    doubts: Option[InDoubtBatchLookup] = None
) extends AutoCloseable {

  private val lease = pool.borrow(settings.connection)
  private val queue = BatchAccumulator(lease, SendLimits.of(settings), checkCancelled, doubts)
  private val rows =
    new EventHubsWriteRows(columns, settings.destination, settings.connection.hub, stamping.ofBareEvents)

  def write(row: InternalRow): Unit = {
    val partition = rows.partition(row)
    val stamped = stamping(rows.event(row), partition)
    if (stamped.isDefined) queue.add(stamped.get, partition)
  }

  /** A loop of its own: `foreach` is shared by all of Spark, so the JIT compiler does not inline what it calls. */
  def writeAll(rows: Iterator[InternalRow]): Unit = while (rows.hasNext) write(rows.next())

  def commit(): SendTotals = {
    queue.flush()
    stamping.finish()
    queue.totals.copy(found = stamping.found)
  }

  /** As if what was taken so far were confirmed. */
  def taken: SendTotals = queue.expectedTotals

  /** Gives the producer back. What was not committed is left to its fate: it may arrive or not. */
  override def close(): Unit =
    try if (doubts.isDefined) awaitAnswers()
    finally lease.close()

  /** A cancelled task waits too: what it has sent arrives all the same. */
  private def awaitAnswers(): Unit = {
    val wasInterrupted = Thread.interrupted()
    try queue.abandon()
    finally if (wasInterrupted) Thread.currentThread().interrupt()
  }
}
