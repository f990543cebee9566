package org.apache.spark.sql.eventhubs.exactlyonce

import java.util.UUID
import java.util.concurrent.ThreadLocalRandom

import org.apache.spark.TaskContext
import org.apache.spark.eventhubs.executor.ExecutorResources
import org.apache.spark.eventhubs.options.{ReadSettings, WriteSettings}
import org.apache.spark.eventhubs.send.{SendPermit, SendTotals}
import org.apache.spark.eventhubs.{EventHubName, EventHubsErrors}
import org.apache.spark.internal.Logging
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.eventhubs.sink.{
  EventHubsWriteColumns,
  EventHubsWriteTask,
  Fingerprint,
  FingerprintCounts,
  WriteIdentity
}

/**
 * The executors' part of an exactly-once batch.
 *
 * @param start the hub's ends before the tasks of this run started
 * @param runId a random name of this run; tasks of two runs never send at the same time
 */
private[eventhubs] final case class ExactlyOnceTask(
    writeId: WriteIdentity,
    settings: WriteSettings,
    readBack: ReadSettings,
    columns: EventHubsWriteColumns,
    start: HubPositions,
    runId: String = UUID.randomUUID().toString
) extends Logging {

  /**
   * @param sentBefore in a repeated batch, the number of this task's rows with a fingerprint that earlier runs wrote
   */
  def run(rows: Iterator[InternalRow], sentBefore: Option[Iterator[(Fingerprint, Int)]]): SendTotals = {
    val context = TaskContext.get()
    val hub = settings.connection.hub
    if (context.stageAttemptNumber() > 0) throw EventHubsErrors.exactlyOnceStageRepeated(hub, writeId.toString)
    val checkCancelled = () => context.killTaskIfInterrupted()
    val permit = ExecutorResources.get.sendingTasks
      .enter(ExactlyOnceTask.nameOf(hub, writeId), runId, context.partitionId(), checkCancelled)
      .getOrElse(throw EventHubsErrors.exactlyOnceTaskStillRuns(hub, writeId.toString))
    try send(rows, sentBefore, context, permit)
    finally permit.close()
  }

  private def send(
      rows: Iterator[InternalRow],
      sentBefore: Option[Iterator[(Fingerprint, Int)]],
      context: TaskContext,
      permit: SendPermit
  ): SendTotals = {
    val hub = settings.connection.hub
    val own =
      new TaskReadBack(writeId, readBack, start, context, settings.settleDelay, settings.settleDelayAfterTimeout)
    val sent = if (context.attemptNumber() > 0) own.fingerprints() else new FingerprintCounts
    if (sentBefore.isDefined) own.checkGeneration()
    sentBefore.getOrElse(Iterator.empty).foreach { case (fingerprint, count) => sent.add(fingerprint, count) }
    val stamper = new ExactlyOnceStamper(
      writeId.tag,
      context.partitionId(),
      ThreadLocalRandom.current().nextInt(),
      sent,
      changed => throw EventHubsErrors.exactlyOnceRowsChanged(hub, writeId.toString, changed)
    )
    val task = new EventHubsWriteTask(settings, columns, ExecutorResources.get.producers, permit, stamper, Some(own))
    try {
      task.writeAll(rows)
      val totals = task.commit()
      if (sent.surplus > 0) logWarning(s"${sent.surplus} events of $writeId are in $hub more often than expected")
      totals
    } finally task.close()
  }
}

private[eventhubs] object ExactlyOnceTask {

  /** Names one batch of one writer to one hub. */
  def nameOf(hub: EventHubName, writeId: WriteIdentity): String = s"$writeId to $hub"
}
