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
  WriteName
}
import org.apache.spark.util.SystemClock

/**
 * The executors' part of a batch that is written exactly once.
 *
 * @param start where the hub ended before the tasks of this run began
 */
private[eventhubs] final case class ExactlyOnceTask(
    name: WriteName,
    settings: WriteSettings,
    readBack: ReadSettings,
    columns: EventHubsWriteColumns,
    start: HubPositions
) extends Logging {

  /** @param sentBefore what earlier runs brought into the hub of this task's rows */
  def run(rows: Iterator[InternalRow], sentBefore: Iterator[(Fingerprint, Int)]): SendTotals = {
    val context = TaskContext.get()
    val hub = settings.connection.hub
    if (context.stageAttemptNumber() > 0) throw EventHubsErrors.exactlyOnceStageRepeated(hub, name.toString)
    val checkCancelled = () => context.killTaskIfInterrupted()
    val own = new TaskReadBack(name, readBack, start, context, () => settle(checkCancelled))
    val sent = if (context.attemptNumber() > 0) own.fingerprints() else new FingerprintCounts
    sentBefore.foreach { case (fingerprint, count) => sent.add(fingerprint, count) }
    val stamping = new ExactlyOnceStamper(
      name.tag,
      context.partitionId(),
      ThreadLocalRandom.current().nextInt(),
      sent,
      changed => throw EventHubsErrors.exactlyOnceRowsChanged(hub, name.toString, changed)
    )
    val task =
      new EventHubsWriteTask(settings, columns, ExecutorResources.get.producers, checkCancelled, stamping, Some(own))
    try {
      task.writeAll(rows)
      val totals = task.commit()
      if (sent.leftOver > 0) logWarning(s"${sent.leftOver} events of $name are in $hub more often than they should be")
      totals
    } finally task.close()
  }

  private def settle(checkCancelled: () => Unit): Unit =
    CancellableWait(new SystemClock, settings.settleDelay.toNanos, checkCancelled)
}
