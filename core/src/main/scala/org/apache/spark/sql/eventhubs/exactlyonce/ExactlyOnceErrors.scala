package org.apache.spark.sql.eventhubs.exactlyonce

import org.apache.spark.eventhubs.EventHubsErrors.where
import org.apache.spark.eventhubs.{EventHubName, EventHubsException}

/** Errors of exactly-once writes, one factory per condition. */
private[eventhubs] object ExactlyOnceErrors {

  /** @param missing the option or location without which a repeated write cannot be recognised */
  def needsLog(hub: EventHubName, missing: String, nextStep: String): EventHubsException =
    new EventHubsException(
      "EVENTHUBS_EXACTLY_ONCE.NO_CHECKPOINT",
      where(hub) ++ Map("missing" -> missing, "nextStep" -> nextStep)
    )

  def withSpeculation(hub: EventHubName): EventHubsException =
    new EventHubsException("EVENTHUBS_EXACTLY_ONCE.SPECULATION", where(hub))

  /** With it Spark may divide the rows into other batches after a restart. */
  def asyncProgress(hub: EventHubName): EventHubsException =
    new EventHubsException("EVENTHUBS_EXACTLY_ONCE.ASYNC_PROGRESS", where(hub))

  /** @param why the connector cannot recognise the events of an earlier attempt */
  def outcomeUnknown(hub: EventHubName, write: String, record: String, why: String): EventHubsException =
    new EventHubsException(
      "EVENTHUBS_EXACTLY_ONCE.OUTCOME_UNKNOWN",
      where(hub) ++ Map("write" -> write, "record" -> record, "why" -> why)
    )

  /** For tasks, which do not know the location of the record. */
  def outcomeUnknown(hub: EventHubName, write: String, why: String): EventHubsException =
    outcomeUnknown(hub, write, "its checkpoint location", why)

  /** An earlier attempt sent rows that this attempt does not have. */
  def rowsChanged(hub: EventHubName, write: String, events: Long): EventHubsException =
    new EventHubsException(
      "EVENTHUBS_EXACTLY_ONCE.ROWS_CHANGED",
      where(hub) ++ Map("write" -> write, "events" -> events.toString)
    )

  /** Tasks of a stage's first run may still send while tasks of its second run send. */
  def stageRepeated(hub: EventHubName, write: String): EventHubsException =
    new EventHubsException("EVENTHUBS_EXACTLY_ONCE.STAGE_REPEATED", where(hub) ++ Map("write" -> write))

  /** A task of an earlier run, which Spark had lost, sends on this executor. */
  def taskStillRuns(hub: EventHubName, write: String): EventHubsException =
    new EventHubsException("EVENTHUBS_EXACTLY_ONCE.TASK_STILL_RUNS", where(hub) ++ Map("write" -> write))

  /** What the tasks have sent may be lost. The driver reads back what is there. */
  def promoted(hub: EventHubName, write: String, why: String): EventHubsException =
    new EventHubsException("EVENTHUBS_EXACTLY_ONCE.PROMOTED", where(hub) ++ Map("write" -> write, "why" -> why))

  /** The condition of a failure after which a batch can be repeated, once the tasks that may still send have ended. */
  def mendedByRestart(failed: Throwable): Option[String] =
    Iterator.iterate(failed)(_.getCause).takeWhile(Option(_).nonEmpty).take(LongestChain).collectFirst {
      case ours: EventHubsException if MendedByRestart(ours.getCondition) => ours.getCondition
    }

  private val MendedByRestart =
    Set("STAGE_REPEATED", "TASK_STILL_RUNS", "PROMOTED").map(name => s"EVENTHUBS_EXACTLY_ONCE.$name")

  /** Causes may form a circle. */
  private val LongestChain = 20

  def concurrent(hub: EventHubName, write: String, path: String): EventHubsException =
    new EventHubsException("EVENTHUBS_EXACTLY_ONCE.CONCURRENT", where(hub) ++ Map("write" -> write, "path" -> path))

  def malformedLog(path: String, text: String, problem: String): EventHubsException =
    new EventHubsException(
      "EVENTHUBS_MALFORMED_WRITE_LOG",
      Map("path" -> path, "text" -> text.take(200), "problem" -> problem)
    )
}
