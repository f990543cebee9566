package org.apache.spark.sql.eventhubs.exactlyonce

import org.apache.spark.eventhubs.EventHubsErrors.where
import org.apache.spark.eventhubs.{ErrorCondition, EventHubName, EventHubsException}

/** Errors of exactly-once writes, one factory per condition. */
private[eventhubs] object ExactlyOnceErrors {

  /** @param missing the option or location without which a repeated write cannot be recognised */
  def needsLog(hub: EventHubName, missing: String, nextStep: String): EventHubsException =
    new EventHubsException(
      ErrorCondition.ExactlyOnce.NoCheckpoint,
      where(hub) ++ Map("missing" -> missing, "nextStep" -> nextStep)
    )

  def withSpeculation(hub: EventHubName): EventHubsException =
    new EventHubsException(ErrorCondition.ExactlyOnce.Speculation, where(hub))

  /** With it Spark may divide the rows into other batches after a restart. */
  def asyncProgress(hub: EventHubName): EventHubsException =
    new EventHubsException(ErrorCondition.ExactlyOnce.AsyncProgress, where(hub))

  /** @param why the connector cannot recognise the events of an earlier attempt */
  def outcomeUnknown(hub: EventHubName, write: String, record: String, why: String): EventHubsException =
    new EventHubsException(
      ErrorCondition.ExactlyOnce.OutcomeUnknown,
      where(hub) ++ Map("write" -> write, "record" -> record, "why" -> why)
    )

  /** For tasks, which do not know the location of the record. */
  def outcomeUnknown(hub: EventHubName, write: String, why: String): EventHubsException =
    outcomeUnknown(hub, write, "its checkpoint location", why)

  /** An earlier attempt sent rows that this attempt does not have. */
  def rowsChanged(hub: EventHubName, write: String, events: Long): EventHubsException =
    new EventHubsException(
      ErrorCondition.ExactlyOnce.RowsChanged,
      where(hub) ++ Map("write" -> write, "events" -> events.toString)
    )

  /** Tasks of a stage's first run may still send while tasks of its second run send. */
  def stageRepeated(hub: EventHubName, write: String): EventHubsException =
    new EventHubsException(ErrorCondition.ExactlyOnce.StageRepeated, where(hub) ++ Map("write" -> write))

  /** A task of an earlier run, which Spark had lost, sends on this executor. */
  def taskStillRuns(hub: EventHubName, write: String): EventHubsException =
    new EventHubsException(ErrorCondition.ExactlyOnce.TaskStillRuns, where(hub) ++ Map("write" -> write))

  /** What the tasks have sent may be lost. The driver reads back what is there. */
  def promoted(hub: EventHubName, write: String, why: String): EventHubsException =
    new EventHubsException(ErrorCondition.ExactlyOnce.Promoted, where(hub) ++ Map("write" -> write, "why" -> why))

  /** The condition of a failure after which a batch can be repeated. */
  def mendedByRestart(failed: Throwable): Option[ErrorCondition] =
    Iterator.iterate(failed)(_.getCause).takeWhile(Option(_).nonEmpty).take(LongestChain).collectFirst {
      case ours: EventHubsException if ours.condition.isMendedByRestart => ours.condition
    }

  /** Causes may form a circle. */
  private val LongestChain = 20

  def concurrent(hub: EventHubName, write: String, path: String): EventHubsException =
    new EventHubsException(ErrorCondition.ExactlyOnce.Concurrent, where(hub) ++ Map("write" -> write, "path" -> path))

  def malformedLog(path: String, text: String, problem: String): EventHubsException =
    new EventHubsException(
      ErrorCondition.MalformedWriteLog,
      Map("path" -> path, "text" -> text.take(200), "problem" -> problem)
    )
}
