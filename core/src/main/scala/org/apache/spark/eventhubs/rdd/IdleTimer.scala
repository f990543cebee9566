package org.apache.spark.eventhubs.rdd

import java.time.Duration
import java.util.concurrent.ThreadLocalRandom

import org.apache.spark.eventhubs.retry.BackOff

/**
 * Says when a reader that gets no event asks the service about its partition. The service allows few questions, so
 * the intervals between them grow. They vary, so that the tasks of one stage do not ask in step. The caller brings the
 * time.
 *
 * @param first   interval, counted from the last event
 * @param longest interval
 * @param random  numbers from 0 to 1
 */
private[eventhubs] final class IdleTimer(first: Duration, longest: Duration, nowMillis: Long, random: () => Double) {

  private val intervals = new BackOff(first, longest, random)

  /** The first interval of this reader. */
  val firstMillis: Long = intervals.millis(1)

  private var startedMillis = 0L
  private var questions = 0
  private var questionAtMillis = 0L
  restart(nowMillis)

  /** The last event arrived at this time. */
  def restart(arrivedMillis: Long): Unit = {
    startedMillis = arrivedMillis
    questions = 0
    questionAtMillis = startedMillis + firstMillis
  }

  /** The time since the last restart. */
  def millis(nowMillis: Long): Long = nowMillis - startedMillis

  def millisToQuestion(nowMillis: Long): Long = math.max(0L, questionAtMillis - nowMillis)

  /** A question was asked, whether or not it was answered. */
  def asked(nowMillis: Long): Unit = {
    questions += 1
    questionAtMillis = nowMillis + intervals.millis(questions + 1)
  }

  /** Something happened that makes the next question urgent. Later ones have the growing intervals again. */
  def askWithin(nowMillis: Long, millis: Long): Unit = {
    questions = 0
    questionAtMillis = math.min(questionAtMillis, nowMillis + millis)
  }
}

private[eventhubs] object IdleTimer {

  private val LongestMillis = 30000L

  /** How often the interval doubles, at most, for a reader that waits for events which need not exist. */
  private val Growth = 4

  val Random: () => Double = () => ThreadLocalRandom.current().nextDouble()

  /** Times a reader that waits for an event which exists. */
  def beforeKnownEvent(firstMillis: Long, nowMillis: Long, random: () => Double): IdleTimer =
    new IdleTimer(
      Duration.ofMillis(firstMillis),
      Duration.ofMillis(math.max(firstMillis, LongestMillis)),
      nowMillis,
      random
    )

  /** Times a reader of a partition that may have no new event for long. */
  def beforeAnyEvent(first: Duration, nowMillis: Long, random: () => Double): IdleTimer =
    new IdleTimer(first, first.multipliedBy(Growth.toLong), nowMillis, random)
}
