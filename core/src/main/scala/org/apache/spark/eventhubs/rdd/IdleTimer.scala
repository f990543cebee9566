package org.apache.spark.eventhubs.rdd

import java.time.Duration
import java.util.concurrent.ThreadLocalRandom

import org.apache.spark.eventhubs.retry.BackOff
import org.apache.spark.util.Clock

/**
 * Says when a reader that gets no event asks the service about its partition. The service allows few questions, so
 * the intervals between them grow. They vary, so that the tasks of one stage do not ask in step.
 *
 * @param first   interval, counted from the last event
 * @param longest interval
 * @param random  numbers from 0 to 1
 */
private[eventhubs] final class IdleTimer(first: Duration, longest: Duration, clock: Clock, random: () => Double) {

  private val intervals = new BackOff(first, longest, random)

  /** The first interval of this reader. */
  val firstMillis: Long = intervals.millis(1)

  private var startedMillis = 0L
  private var questions = 0
  private var questionAtMillis = 0L
  restart()

  /** @param agoMillis when the last event arrived */
  def restart(agoMillis: Long = 0L): Unit = {
    startedMillis = clock.getTimeMillis() - agoMillis
    questions = 0
    questionAtMillis = startedMillis + firstMillis
  }

  /** The time since the last restart. */
  def millis: Long = clock.getTimeMillis() - startedMillis

  def millisToQuestion: Long = math.max(0L, questionAtMillis - clock.getTimeMillis())

  /** A question was asked, whether or not it was answered. */
  def asked(): Unit = {
    questions += 1
    questionAtMillis = clock.getTimeMillis() + intervals.millis(questions + 1)
  }

  /** Something happened that makes the next question urgent. Later ones have the growing intervals again. */
  def askWithin(millis: Long): Unit = {
    questions = 0
    questionAtMillis = math.min(questionAtMillis, clock.getTimeMillis() + millis)
  }
}

private[eventhubs] object IdleTimer {

  private val LongestMillis = 30000L

  /** How often the interval doubles, at most, for a reader that waits for events which need not exist. */
  private val Growth = 4

  private val Random = () => ThreadLocalRandom.current().nextDouble()

  /** Times a reader that waits for an event which exists. */
  def beforeKnownEvent(firstMillis: Long, clock: Clock): IdleTimer =
    new IdleTimer(
      Duration.ofMillis(firstMillis),
      Duration.ofMillis(math.max(firstMillis, LongestMillis)),
      clock,
      Random
    )

  /** Times a reader of a partition that may have no new event for long. */
  def beforeAnyEvent(first: Duration, clock: Clock): IdleTimer =
    new IdleTimer(first, first.multipliedBy(Growth.toLong), clock, Random)
}
