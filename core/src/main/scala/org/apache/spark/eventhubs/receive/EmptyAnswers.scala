package org.apache.spark.eventhubs.receive

import org.apache.spark.eventhubs.connection.LinkDrain

/**
 * Finds out whether a link has got all events that existed when the service was asked. That is a question about the
 * link, not about the hub: an answer to it contradicts nothing that is known, so `HubRules` have no say in it.
 *
 * An answer to AMQP's drain says so, but it may come from a replica that lags behind. So a second answer is wanted,
 * [[LinkDrain.AgreeFor]] later. Events may come between the two: in a busy partition they always do.
 *
 * The service may not know drain (azure-sdk-for-js#3714). Then another link is listened to. It is not asked, so nothing
 * can have taken its credit. It has got all events when it was open without an event for `listenMillis`. Used by the
 * reader's thread.
 *
 * @param patienceMillis how long the service may take for an answer
 */
private[receive] final class EmptyAnswers(drain: LinkDrain, patienceMillis: Long, listenMillis: Long) {

  import EmptyAnswers._

  private var isWanted = false
  private var listens = false
  private var hasFirst = false
  private var isAskedAgain = false
  private var agree = false
  private var firstMillis = 0L
  private var askedMillis = Unknown

  /** The sequence number that the reader expected when the silence began, and the time. */
  private var silentAt = Unknown
  private var silentMillis = 0L

  /** Asks, and asks again after the first answer. There must be no question without an answer. */
  def ask(): Unit = {
    begin(listens = false)
    drain.ask()
  }

  /** Listens, on a link that was not asked. */
  def listen(): Unit = begin(listens = true)

  private def begin(listens: Boolean): Unit = {
    this.listens = listens
    hasFirst = false
    isAskedAgain = false
    agree = false
    isWanted = true
    askedMillis = Unknown
    silentAt = Unknown
  }

  /** Whether the service is listened to. */
  def isListening: Boolean = isWanted && listens

  /** The answers no longer matter. */
  def withdraw(): Unit = isWanted = false

  /**
   * Whether the service has said so twice, as answers to a question that still counts, or was silent for long enough.
   *
   * @param expected sequence number of the next event
   */
  def isReached(expected: Long): Boolean = isWanted && agree && (!listens || silentAt == expected)

  /** Whether a question still counts, and its answers are to come or agree. */
  def isPending: Boolean = isWanted && (listens || drain.isUnanswered || drain.saysEmpty)

  /**
   * Whether the service has had its time for an answer, so that another link is to be listened to. While events come, a
   * service that answers drain has a reason not to answer yet.
   *
   * @param answersDrain whether it has answered this reader before
   */
  def isIgnored(nowMillis: Long, answersDrain: Boolean): Boolean =
    isWanted && !listens && drain.isUnanswered && askedMillis != Unknown &&
      (nowMillis - silentMillis >= patienceMillis || !answersDrain && nowMillis - askedMillis >= listenMillis)

  /** Whether the link was open for as long as its silence would have to last, also if events came. */
  def hasListened(nowMillis: Long): Boolean =
    isWanted && listens && askedMillis != Unknown && nowMillis - askedMillis >= listenMillis

  /**
   * Takes an answer that has come, and asks again when it is time. To be called often while the reader waits.
   *
   * @param expected sequence number of the next event
   */
  def check(nowMillis: Long, expected: Long): Unit = if (isWanted) {
    // Until the link is open, neither silence nor a missing answer says anything.
    if (drain.isOpen && askedMillis == Unknown) askedMillis = nowMillis
    if (!drain.isOpen || silentAt != expected) {
      silentAt = expected
      silentMillis = nowMillis
    }
    if (listens) agree = nowMillis - silentMillis >= listenMillis
    else if (!agree && drain.saysEmpty) checkAnswer(nowMillis)
  }

  private def checkAnswer(nowMillis: Long): Unit =
    if (!hasFirst) {
      hasFirst = true
      firstMillis = nowMillis
    } else if (isAskedAgain) agree = true
    else if (nowMillis - firstMillis >= LinkDrain.AgreeFor.toMillis) {
      isAskedAgain = true
      askedMillis = nowMillis
      silentMillis = nowMillis
      drain.ask()
    }
}

private object EmptyAnswers {
  private val Unknown = -1L
}
