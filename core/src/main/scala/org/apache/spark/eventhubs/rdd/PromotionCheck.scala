package org.apache.spark.eventhubs.rdd

import java.time.Duration

import scala.annotation.tailrec
import scala.util.Random

import org.apache.spark.eventhubs.amqp.ReceivedEvent
import org.apache.spark.eventhubs.connection.PartitionBounds
import org.apache.spark.eventhubs.generation.{HubGenerationCheck, LowAnswers}
import org.apache.spark.eventhubs.retry.{BackOff, CancellableWait}
import org.apache.spark.util.Clock

/**
 * Decides whether an event with a later epoch than planned came after a promotion. Plans are made from the service's
 * answers, so an answer that has the event decides. An answer without the event is too old to decide, and the service
 * is asked again. If several answers over some time lack the event, the event decides: events of two epochs must not be
 * delivered under one sequence number.
 *
 * @param ask            asks the service for the partition's bounds
 * @param checkCancelled throws when the task is to stop
 * @param limit          the longest time over which answers are compared
 */
private[rdd] final class PromotionCheck(
    generation: HubGenerationCheck,
    ask: () => PartitionBounds,
    clock: Clock,
    checkCancelled: () => Unit,
    limit: Duration
) {

  import PromotionCheck._

  /** How the hub differs from the planned one; None when it does not. May wait for some seconds. */
  def difference(partitionId: Int, event: ReceivedEvent): Option[String] = {
    val answers = new LowAnswers(clock, limit)
    @tailrec
    def decided(attempt: Int): Option[String] = {
      val bounds = ask()
      val promoted = bounds.epoch.flatMap(generation.differenceInEpoch(partitionId, _))
      if (promoted.isDefined || has(bounds, event)) promoted
      else if (answers.add()) generation.differenceInEpoch(partitionId, event.epoch)
      else {
        CancellableWait(clock, AskAgain.nanos(attempt), checkCancelled)
        decided(attempt + 1)
      }
    }
    decided(1)
  }

  /** The old primary region may have had another event with this number, but enqueued it earlier. */
  private def has(bounds: PartitionBounds, event: ReceivedEvent): Boolean =
    bounds.latest > event.sequenceNumber && bounds.lastEnqueuedTime.toEpochMilli >= event.enqueuedMillis
}

private object PromotionCheck {
  private val AskAgain = new BackOff(Duration.ofMillis(250), Duration.ofSeconds(4), () => Random.nextDouble())
}
