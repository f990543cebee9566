package org.apache.spark.eventhubs.rdd

import scala.util.control.NonFatal

import org.apache.spark.TaskContext
import org.apache.spark.eventhubs.executor.ExecutorResources
import org.apache.spark.eventhubs.generation.HubGeneration
import org.apache.spark.eventhubs.options.ReadSettings
import org.apache.spark.internal.Logging
import org.apache.spark.util.TaskFailureListener

/**
 * Requests the first events of the range that this JVM probably reads next, while a task still reads the range before
 * it. Opens that range's link when none is open. The next task then finds the link with these events.
 *
 * @param afterEvents how many events of its range the task reads before that
 */
private[rdd] final class LinkAhead(val afterEvents: Long, openLink: () => Unit) extends Logging {

  /** The task that reads the range opens its own link when this fails. */
  def open(): Unit =
    try openLink()
    catch { case NonFatal(failed) => logDebug("A link could not be opened ahead", failed) }
}

private[rdd] object LinkAhead {

  /** A link for so few events costs the service little, also when nobody reads them. */
  private val FewEvents = 1000L

  /**
   * A query such as `take` may end early. So the link of a large range opens when half of the range before it is read.
   * A stream reads on.
   *
   * @param next       the range that follows
   * @param isStream   whether the link of the next range is probably open since the last micro-batch
   * @param generation the hub, or hubs, that the query's ranges were planned for
   */
  def apply(
      range: OffsetRange,
      next: OffsetRange,
      isStream: Boolean,
      settings: ReadSettings,
      generation: HubGeneration,
      resources: ExecutorResources,
      context: TaskContext
  ): LinkAhead = new LinkAhead(
    if (isStream || next.count <= FewEvents) 0 else (range.count + 1) / 2,
    () => if (!next.isEmpty && ReceiverReuse.isPlacedHere(next)) open(next, settings, generation, resources, context)
  )

  private def open(
      next: OffsetRange,
      settings: ReadSettings,
      generation: HubGeneration,
      resources: ExecutorResources,
      context: TaskContext
  ): Unit = {
    val opened = resources.receivers.openAhead(
      settings.ofHub(next.name),
      next.partitionId,
      generation.ofHub(next.name),
      next.fromSeqNo,
      next.count,
      // If the task of an exclusive reader runs elsewhere after all, a new link here would disconnect it.
      mayOpen = settings.ownerLevel.isEmpty
    )
    // The query has failed or was stopped, and nobody reads the next range. Spark 3.5.0 has no `isFailed`.
    opened.foreach { receiver =>
      val afterFailure: TaskFailureListener = (_, _) => resources.receivers.closeIdle(receiver)
      context.addTaskFailureListener(afterFailure)
      context.addTaskCompletionListener[Unit] { task =>
        if (task.isInterrupted()) resources.receivers.closeIdle(receiver)
      }
    }
  }
}
