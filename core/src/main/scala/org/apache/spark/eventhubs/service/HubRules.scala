package org.apache.spark.eventhubs.service

import java.time.Duration

import org.apache.spark.eventhubs.connection.PartitionBounds
import org.apache.spark.eventhubs.generation.HubGeneration

/**
 * What is known of a partition: from events that came, ends that were planned, or earlier answers.
 *
 * @param next  the events before this number have existed
 * @param epoch of a geo-replicated hub: a later one shows that a secondary region was promoted
 * @param isEpochAnswered whether the service has answered `epoch`, so that an answer of an earlier one lags behind
 * @param enqueuedMillis  of the event before `next`, where it is known: an answer whose last event is older lacks it
 */
private[spark] final case class Known(
    next: Long,
    epoch: Option[Int] = None,
    isEpochAnswered: Boolean = false,
    enqueuedMillis: Option[Long] = None
)

/**
 * The rules by which answers of the service about a hub are believed. An answer that has what is known counts at once.
 * One that lacks known events, or a known partition, may come from a replica that lags behind: only several answers in
 * a row, over some time, show that the events are gone. The caller brings the time.
 *
 * @param agreeMillis the time over which the answers have to agree
 * @param doubts      of partitions
 */
private[spark] final class HubRules private (agreeMillis: Long, doubts: Map[Int, HubRules.Doubt]) {

  import HubRules._

  /** Whether an answer lacked something, and no later one had it. */
  def isInDoubt: Boolean = doubts.nonEmpty

  /**
   * The verdict after an answer about a partition.
   *
   * @param found  None is the answer that the hub does not have the partition
   * @param enough the caller waits for the events before this number only. An answer that has them is not in doubt, but
   *               only one that has all known events ends a doubt
   */
  def answer(
      partition: Int,
      known: Known,
      found: Option[PartitionBounds],
      nowMillis: Long,
      enough: Long = Long.MaxValue
  ): (HubRules, Verdict) = {
    val complete = found.filter(has(known.copy(next = math.min(known.next, enough)), _)).map { bounds =>
      (if (bounds.latest >= known.next) withDoubts(doubts - partition) else this, Verdict.Retained(bounds))
    }
    def promoted = found.flatMap(bounds => promotion(known.epoch, bounds.epoch)).map(this -> _)
    complete.orElse(promoted).getOrElse {
      val doubt = doubts.getOrElse(partition, Doubt(0, nowMillis)).another
      val isOver = doubt.answers >= Enough && nowMillis - doubt.sinceMillis >= agreeMillis
      val verdict =
        if (isOver) found.fold[Verdict](Verdict.Missing)(gone(known, _, doubt.answers)) else Verdict.AskAgain
      (withDoubts(doubts.updated(partition, doubt)), verdict)
    }
  }

  /** Forgets the doubt about a partition: an event has shown that it has more. */
  def without(partition: Int): HubRules = withDoubts(doubts - partition)

  private def withDoubts(other: Map[Int, Doubt]) = new HubRules(agreeMillis, other)

  /**
   * Only a promotion makes the partition of a geo-replicated hub shorter. Its first event will have a later epoch. A
   * hub of an earlier epoch is another one.
   */
  private def gone(known: Known, found: PartitionBounds, answers: Int): Verdict = {
    val facts = s"the next event to arrive is ${found.latest}, as $answers answers of the service in a row say"
    if (found.epoch.exists(epoch => known.epoch.forall(_ <= epoch))) Verdict.Promoted(facts)
    else Verdict.Shrunk(found, facts)
  }
}

private[spark] object HubRules {

  private val Enough = 4
  private val AgreeFor = Duration.ofSeconds(10)

  /** @param limit the longest time over which answers have to agree is half of it */
  def of(limit: Duration): HubRules = agreeing(Seq(AgreeFor, limit.dividedBy(2)).min)

  /** @param time over which answers have to agree */
  def agreeing(time: Duration): HubRules = new HubRules(time.toMillis, Map.empty)

  /** Whether an answer has what is known. */
  def has(known: Known, found: PartitionBounds): Boolean =
    found.latest >= known.next &&
      known.enqueuedMillis.forall(found.lastEnqueuedTime.toEpochMilli >= _) &&
      !(known.isEpochAnswered && found.epoch.exists(answered => known.epoch.exists(answered < _)))

  /** Whether the hub is another one than a range was planned for. */
  def recreated(planned: HubGeneration, found: HubGeneration.CreatedAt): Option[Verdict.Recreated] =
    planned.created.filter(_ != found).map { wanted =>
      Verdict.Recreated(s"the range was planned for $wanted, but this is $found")
    }

  /** Whether an event or an answer is of a later epoch than a range was planned for. */
  def promotion(planned: Option[Int], found: Option[Int]): Option[Verdict.Promoted] =
    for (known <- planned; epoch <- found if epoch > known)
      yield Verdict.Promoted(s"the range was planned for epoch $known, but this is epoch $epoch")

  private final case class Doubt(answers: Int, sinceMillis: Long) {
    def another: Doubt = copy(answers = answers + 1)
  }
}
