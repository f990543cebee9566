package org.apache.spark.sql.eventhubs.exactlyonce

import java.util.UUID
import java.util.concurrent.ThreadLocalRandom

import org.apache.spark.TaskContext
import org.apache.spark.eventhubs.executor.ExecutorResources
import org.apache.spark.eventhubs.options.{ReadSettings, WriteSettings}
import org.apache.spark.eventhubs.retry.{CancellableWait, MonotonicClock}
import org.apache.spark.eventhubs.send.{SendPermit, SendTotals}
import org.apache.spark.eventhubs.{EventHubName, EventHubsException}
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
 * @param start the ends of the hubs before the tasks of this run started
 * @param runId a random name of this run; tasks of two runs never send at the same time
 */
private[eventhubs] final case class ExactlyOnceTask(
    writeId: WriteIdentity,
    settings: WriteSettings,
    readBack: ReadSettings,
    columns: EventHubsWriteColumns,
    start: WriteRecord,
    runId: String = UUID.randomUUID().toString
) {

  /**
   * @param sentBefore in a repeated batch, the number of this task's rows with a fingerprint that earlier runs wrote
   */
  def run(rows: Iterator[InternalRow], sentBefore: Option[Iterator[(Fingerprint, Int)]]): SendTotals = {
    val context = TaskContext.get()
    val hub = settings.connection.hub
    if (context.stageAttemptNumber() > 0) throw ExactlyOnceErrors.stageRepeated(hub, writeId.toString)
    val checkCancelled = () => context.killTaskIfInterrupted()
    val permit = ExecutorResources.get.sendingTasks
      .enter(ExactlyOnceTask.nameOf(hub, writeId), runId, context.partitionId(), checkCancelled)
      .getOrElse(throw ExactlyOnceErrors.taskStillRuns(hub, writeId.toString))
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
    val own = start.hubs.map(at => at.hub.key -> readBackOf(at, context)).toMap
    val sent = new FingerprintCounts
    if (context.attemptNumber() > 0) {
      CancellableWait(new MonotonicClock, settings.settleDelay.toNanos, () => context.killTaskIfInterrupted())
      own.values.foreach(_.addFingerprints(sent))
    }
    if (sentBefore.isDefined) own.values.foreach(_.checkGeneration())
    sentBefore.getOrElse(Iterator.empty).foreach { case (fingerprint, count) => sent.add(fingerprint, count) }
    val unsent = new UnsentRows(
      sent,
      RowsByHub.fingerprintOf(columns, settings, start, writeId),
      () => new RowsOnDisk(context),
      changed => ExactlyOnceErrors.rowsChanged(hub, writeId.toString, changed)
    )
    val stamper = new ExactlyOnceStamper(writeId.tag, context.partitionId(), ThreadLocalRandom.current().nextInt())
    // A hub that is not recorded could not be read back.
    val lookup = (of: EventHubName) => own.getOrElse(of.key, throw ExactlyOnceTask.notRecorded(of, writeId))
    val resources = ExecutorResources.get
    val task = new EventHubsWriteTask(
      settings,
      columns,
      resources.producers,
      permit,
      resources.background,
      stamper,
      Some(lookup)
    )
    try {
      task.writeAll(unsent.of(rows))
      val totals = task.commit().copy(found = unsent.found)
      own.values.foreach(_.checkPromotion())
      totals
    } finally task.close()
  }

  private def readBackOf(at: HubPositions, context: TaskContext): TaskReadBack = new TaskReadBack(
    writeId,
    ReadBack.of(readBack, at.hub),
    at,
    context,
    settings.settleDelay,
    settings.settleDelayAfterTimeout,
    RowsByHub.fingerprint(settings, at.hub)
  )
}

private[eventhubs] object ExactlyOnceTask {

  /** The record of the batch was written before its rows named this hub. */
  def notRecorded(hub: EventHubName, writeId: WriteIdentity): EventHubsException =
    ExactlyOnceErrors.outcomeUnknown(
      hub,
      writeId.toString,
      "a row names this event hub, and the record does not: the query gives other rows than when the batch was started"
    )

  /** Names one batch of one writer, however the hub is spelled, and whether an option or each row names it. */
  def nameOf(hub: EventHubName, writeId: WriteIdentity): String =
    if (writeId.isOfQuery) writeId.toString else s"$writeId to ${hub.key} in ${hub.namespace}"
}
