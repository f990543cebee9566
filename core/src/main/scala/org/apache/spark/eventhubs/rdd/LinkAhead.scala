package org.apache.spark.eventhubs.rdd

import scala.util.control.NonFatal

import org.apache.spark.TaskContext
import org.apache.spark.eventhubs.executor.ExecutorResources
import org.apache.spark.eventhubs.generation.HubGeneration
import org.apache.spark.eventhubs.options.ReadSettings
import org.apache.spark.eventhubs.receive.{ReceiverKey, ReplayKey}
import org.apache.spark.internal.Logging
import org.apache.spark.util.TaskFailureListener

/**
 * Requests the first events of the range that this JVM probably reads next, while a task still reads the range before
 * it. The next task then finds a link with these events.
 *
 * @param range the range that the task reads
 * @param next  the range that follows, which is read in another task
 */
private[rdd] final class LinkAhead(
    range: OffsetRange,
    next: OffsetRange,
    settings: ReadSettings,
    generation: HubGeneration,
    resources: ExecutorResources,
    context: TaskContext
) extends Logging {

  import LinkAhead._

  /** How many events of its range the task reads before [[halfRead]]. */
  val half: Long = (range.count + 1) / 2

  /** The task begins. A stream's link is open since the last micro-batch. */
  def begin(): Unit = request(mayOpen = next.count <= FewEvents)

  /** A query such as `take` may end early. So the link of a large range does not open sooner. */
  def halfRead(): Unit = request(mayOpen = true)

  /** The task that reads the range does it itself when this fails. */
  private def request(mayOpen: Boolean): Unit =
    if (isExpected)
      try requestOrFail(mayOpen)
      catch { case NonFatal(failed) => logDebug("Events could not be requested ahead", failed) }

  /** A repeated task may come after the next one. */
  private val isExpected: Boolean =
    context.attemptNumber() == 0 && context.stageAttemptNumber() == 0 &&
      !next.isEmpty && ReceiverReuse.isPlacedHere(next) && !isReplayed

  private def isReplayed: Boolean = settings.replayCacheBytes > 0 && {
    val reader = ReceiverKey.of(settings.ofHub(next.name), next.partitionId, generation.ofHub(next.name))
    resources.replays.get(ReplayKey(reader, next.fromSeqNo, next.untilSeqNo)).isDefined
  }

  /** @param mayOpen not for an exclusive reader: if the task runs elsewhere after all, it would disconnect that link */
  private def requestOrFail(mayOpen: Boolean): Unit = {
    val requested = resources.receivers.requestAhead(
      settings.ofHub(next.name),
      next.partitionId,
      generation.ofHub(next.name),
      next.fromSeqNo,
      next.count,
      mayOpen && settings.ownerLevel.isEmpty
    )
    // The query has failed or was stopped, and nobody reads the next range. Spark 3.5.0 has no `isFailed`.
    requested.foreach { receiver =>
      val afterFailure: TaskFailureListener = (_, _) => resources.receivers.closeIdle(receiver)
      context.addTaskFailureListener(afterFailure)
      context.addTaskCompletionListener[Unit] { task =>
        if (task.isInterrupted()) resources.receivers.closeIdle(receiver)
      }
    }
  }
}

private object LinkAhead {

  /** A link for so few events costs the service little, also when nobody reads them. */
  private val FewEvents = 1000L
}
