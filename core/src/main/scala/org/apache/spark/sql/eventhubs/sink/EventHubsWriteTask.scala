package org.apache.spark.sql.eventhubs.sink

import scala.annotation.tailrec
import scala.collection.mutable

import org.apache.spark.eventhubs.EventHubName
import org.apache.spark.eventhubs.background.Background
import org.apache.spark.eventhubs.connection.{ProducerLease, ProducerPool}
import org.apache.spark.eventhubs.options.WriteSettings
import org.apache.spark.eventhubs.send.{HubWriter, InDoubtBatchLookup, SendLimits, SendPermit, SendTotals, Sender}
import org.apache.spark.sql.catalyst.InternalRow

/**
 * Sends the rows of one partition of the frame. All events are in their hub when `commit` returns. A task that fails
 * may have sent some of them, and its next attempt sends those again.
 *
 * @param permit        asked before each batch is sent, and in each wait
 * @param background    sends batches that have lingered long enough
 * @param inDoubtLookup looks up whether a hub has a batch whose answer was lost. With it, a task that fails also waits
 *                      for the answers to its sends, so that its next attempt finds all of its events
 */
private[eventhubs] final class EventHubsWriteTask(
    settings: WriteSettings,
    columns: EventHubsWriteColumns,
    pool: ProducerPool,
    permit: SendPermit,
    background: => Background,
    stamper: EventStamper = NoStamper,
    inDoubtLookup: Option[EventHubName => InDoubtBatchLookup] = None
) extends AutoCloseable {

  import EventHubsWriteTask.Hub

  private val leases = mutable.ArrayBuffer.empty[ProducerLease]
  private val sender = Sender(SendLimits.of(settings), permit, background)
  private val onlyHub = Option.when(!settings.hubByRow) {
    try open(settings.connection.hub, Fingerprint.OneHub)
    catch {
      case failed: Throwable =>
        // Nobody has this task yet, so nobody closes it.
        close()
        throw failed
    }
  }
  private val hubs = columns.eventHub.map { column =>
    new HubOfRow(column, settings.connection.hub, hub => open(hub, Fingerprint.hub(hub)))
  }

  def write(row: InternalRow): Unit = {
    val hub = if (onlyHub.isDefined) onlyHub.get else hubs.get(row)
    val partition = hub.rows.partition(row)
    hub.writer.add(stamper(hub.rows.event(row), partition, hub.fingerprint), partition)
  }

  private def open(hub: EventHubName, fingerprint: Long): Hub = {
    val lookup = inDoubtLookup.map(_(hub))
    val lease = pool.borrow(settings.connectionTo(hub))
    leases += lease
    val rows =
      new EventHubsWriteRows(columns, settings.destination, hub, settings.writesTombstones, stamper.ofBareEvents)
    new Hub(rows, sender.to(lease, lookup), fingerprint)
  }

  /** Not `foreach`: all of Spark shares that loop, so the JIT compiler does not inline the function it calls. */
  def writeAll(rows: Iterator[InternalRow]): Unit = while (rows.hasNext) write(rows.next())

  def commit(): SendTotals = {
    sender.flush()
    sender.totals
  }

  /** Totals, assuming that all accepted events are confirmed. */
  def accepted: SendTotals = sender.expectedTotals

  /** Returns the producers. Events that were not committed may still arrive. */
  override def close(): Unit = {
    sender.close()
    try if (inDoubtLookup.isDefined) awaitAnswers()
    finally leases.foreach(_.close())
  }

  /** A cancelled task waits too, because its events may still arrive. Spark may interrupt it more than once. */
  @tailrec
  private def awaitAnswers(wasInterrupted: Boolean = Thread.interrupted()): Unit = {
    val isOver =
      try {
        sender.abandon()
        true
      } catch { case _: InterruptedException => false }
    if (!isOver) awaitAnswers(wasInterrupted = true)
    else if (wasInterrupted) Thread.currentThread().interrupt()
  }
}

private object EventHubsWriteTask {

  /** One hub of a task. */
  private final class Hub(val rows: EventHubsWriteRows, val writer: HubWriter, val fingerprint: Long)
}
