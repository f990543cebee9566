package org.apache.spark.eventhubs.service

import java.time.Duration

import scala.annotation.tailrec
import scala.util.Random

import org.apache.spark.eventhubs.connection.PartitionBounds
import org.apache.spark.eventhubs.retry.{BackOff, CancellableWait}
import org.apache.spark.util.Clock

/**
 * Asks the service about a hub until [[HubRules]] believe the answers. Without doubt one answer is enough.
 *
 * @param limit          the operation timeout, which limits how long answers are compared
 * @param checkCancelled called often in its pauses; throws when the caller is to stop
 */
private[spark] final class HubView(limit: Duration, clock: Clock, checkCancelled: () => Unit) {

  import HubView.AskAgain

  /**
   * The first believed answer.
   *
   * @param first the answer to the first question
   * @param about what is known of each partition, and what an answer says about it
   * @param again asks about partitions in doubt again, given the answer before. May wait for some seconds
   */
  def believed[A](first: A)(about: A => Seq[(Int, Known, Option[PartitionBounds])])(again: (A, Seq[Int]) => A): A = {
    @tailrec
    def asking(found: A, rules: HubRules, attempt: Int): A = {
      val (judged, doubtful) = about(found).foldLeft((rules, Seq.empty[Int])) {
        case ((before, others), (partition, known, answer)) =>
          val (after, verdict) = before.answer(partition, known, answer, clock.getTimeMillis())
          (after, if (verdict == Verdict.AskAgain) others :+ partition else others)
      }
      if (doubtful.isEmpty) found
      else {
        CancellableWait(clock, AskAgain.nanos(attempt), checkCancelled)
        asking(again(found, doubtful.sorted), judged, attempt + 1)
      }
    }
    asking(first, HubRules.of(limit), 1)
  }
}

private object HubView {

  /** Pauses between questions whose answers are in doubt. */
  private val AskAgain = new BackOff(Duration.ofMillis(250), Duration.ofSeconds(4), () => Random.nextDouble())
}
