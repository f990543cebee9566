package org.apache.spark.sql.eventhubs.exactlyonce

import java.util.concurrent.ThreadLocalRandom

import org.apache.spark.TaskContext
import org.apache.spark.eventhubs.EventHubsErrors
import org.apache.spark.eventhubs.connection.CancellableWait
import org.apache.spark.eventhubs.executor.ExecutorResources
import org.apache.spark.eventhubs.options.{ReadSettings, WriteSettings}
import org.apache.spark.eventhubs.send.SendTotals
import org.apache.spark.internal.Logging
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.eventhubs.sink.{
  EventHubsWriteColumns,
  EventHubsWriteTask,
  Fingerprint,
  FingerprintCounts,
  WriteIdentity
}
import org.apache.spark.util.SystemClock

/**
 * The executors' part of an exactly-once batch.
 *
 * @param start the hub's ends before the tasks of this run started
 */
private[eventhubs] final case class ExactlyOnceTask(
    writeId: WriteIdentity,
    settings: WriteSettings,
    readBack: ReadSettings,
    columns: EventHubsWriteColumns,
    start: HubPositions
) extends Logging {

  /** @param sentBefore the number of this task's rows with a fingerprint that earlier runs wrote */
  def run(rows: Iterator[InternalRow], sentBefore: Iterator[(Fingerprint, Int)]): SendTotals = {
    val context = TaskContext.get()
    val hub = settings.connection.hub
    if (context.stageAttemptNumber() > 0) throw EventHubsErrors.exactlyOnceStageRepeated(hub, writeId.toString)
    val checkCancelled = () => context.killTaskIfInterrupted()
    val own = new TaskReadBack(writeId, readBack, start, context, () => settle(checkCancelled))
    val sent = if (context.attemptNumber() > 0) own.fingerprints() else new FingerprintCounts
    sentBefore.foreach { case (fingerprint, count) => sent.add(fingerprint, count) }
    val stamper = new ExactlyOnceStamper(
      writeId.tag,
      context.partitionId(),
      ThreadLocalRandom.current().nextInt(),
      sent,
      changed => throw EventHubsErrors.exactlyOnceRowsChanged(hub, writeId.toString, changed)
    )
    val task =
      new EventHubsWriteTask(settings, columns, ExecutorResources.get.producers, checkCancelled, stamper, Some(own))
    try {
      task.writeAll(rows)
      val totals = task.commit()
      if (sent.surplus > 0) logWarning(s"${sent.surplus} events of $writeId are in $hub more often than expected")
      totals
    } finally task.close()
  }

  private def settle(checkCancelled: () => Unit): Unit =
    CancellableWait(new SystemClock, settings.settleDelay.toNanos, checkCancelled)
}
