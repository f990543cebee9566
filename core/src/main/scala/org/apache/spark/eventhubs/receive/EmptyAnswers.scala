package org.apache.spark.eventhubs.receive

import org.apache.spark.eventhubs.connection.LinkDrain

/**
 * Whether a link has got all events that existed when the service was asked. An answer to AMQP's drain says so, but it
 * may come from a replica that lags behind. So a second answer is wanted, [[LinkDrain.AgreeFor]] later. Events may come
 * between the two: in a busy partition they always do. Used by the receiver's thread.
 */
private[receive] final class EmptyAnswers(drain: LinkDrain) {

  private var isWanted = false
  private var hasFirst = false
  private var isAskedAgain = false
  private var agree = false
  private var firstMillis = 0L

  /** Asks, and asks again after the first answer. There must be no question without an answer. */
  def ask(): Unit = {
    hasFirst = false
    isAskedAgain = false
    agree = false
    isWanted = true
    drain.ask()
  }

  /** The answers no longer matter. */
  def withdraw(): Unit = isWanted = false

  /** Whether the service has said so twice, as answers to a question that still counts. */
  def sayEmpty: Boolean = isWanted && agree

  /** Whether a question still counts, and its answers are to come or agree. */
  def isPending: Boolean = isWanted && (drain.isUnanswered || drain.saysEmpty)

  /** Takes an answer that has come, and asks again when it is time. To be called often while the reader waits. */
  def check(nowMillis: Long): Unit = if (isWanted && !agree && drain.saysEmpty) {
    if (!hasFirst) {
      hasFirst = true
      firstMillis = nowMillis
    } else if (isAskedAgain) agree = true
    else if (nowMillis - firstMillis >= LinkDrain.AgreeFor.toMillis) {
      isAskedAgain = true
      drain.ask()
    }
  }
}
