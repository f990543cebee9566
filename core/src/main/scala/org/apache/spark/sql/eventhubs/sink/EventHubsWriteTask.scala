package org.apache.spark.sql.eventhubs.sink

import scala.annotation.tailrec

import org.apache.spark.eventhubs.connection.ProducerPool
import org.apache.spark.eventhubs.options.WriteSettings
import org.apache.spark.eventhubs.send.{BatchAccumulator, InDoubtBatchLookup, SendLimits, SendPermit, SendTotals}
import org.apache.spark.sql.catalyst.InternalRow

/**
 * Sends the rows of one partition of the frame. All events are in the hub when `commit` returns. A task that fails may
 * have sent some of them, and its next attempt sends those again.
 *
 * @param permit        asked before each batch is sent, and in each wait
 * @param inDoubtLookup looks up whether the hub has a batch whose answer was lost. With it, a task that fails also
 *                      waits for the answers to its sends, so that its next attempt finds all of its events
 */
private[eventhubs] final class EventHubsWriteTask(
    settings: WriteSettings,
    columns: EventHubsWriteColumns,
    pool: ProducerPool,
    permit: SendPermit,
    stamper: EventStamper = NoStamper,
    inDoubtLookup: Option[InDoubtBatchLookup] = None
) extends AutoCloseable {

  private val lease = pool.borrow(settings.connection)
  private val accumulator = BatchAccumulator(lease, SendLimits.of(settings), permit, inDoubtLookup)
  private val rows =
    new EventHubsWriteRows(
      columns,
      settings.destination,
      settings.connection.hub,
      settings.writesTombstones,
      stamper.ofBareEvents
    )

  def write(row: InternalRow): Unit = {
    val partition = rows.partition(row)
    val stamped = stamper(rows.event(row), partition)
    if (stamped.isDefined) accumulator.add(stamped.get, partition)
  }

  /** Not `foreach`: all of Spark shares that loop, so the JIT compiler does not inline the function it calls. */
  def writeAll(rows: Iterator[InternalRow]): Unit = while (rows.hasNext) write(rows.next())

  def commit(): SendTotals = {
    accumulator.flush()
    stamper.finish()
    accumulator.totals.copy(found = stamper.found)
  }

  /** Totals, assuming that all accepted events are confirmed. */
  def accepted: SendTotals = accumulator.expectedTotals

  /** Returns the producer. Events that were not committed may still arrive. */
  override def close(): Unit =
    try if (inDoubtLookup.isDefined) awaitAnswers()
    finally lease.close()

  /** A cancelled task waits too, because its events may still arrive. Spark may interrupt it more than once. */
  @tailrec
  private def awaitAnswers(wasInterrupted: Boolean = Thread.interrupted()): Unit = {
    val isOver =
      try {
        accumulator.abandon()
        true
      } catch { case _: InterruptedException => false }
    if (!isOver) awaitAnswers(wasInterrupted = true)
    else if (wasInterrupted) Thread.currentThread().interrupt()
  }
}
