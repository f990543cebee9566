package org.apache.spark.eventhubs.generation

import java.time.Duration

import org.apache.spark.util.Clock

/**
 * Answers of the service that have fewer events than are known. A single one may come from a replica that lags behind.
 * Only several over some time show that the events are gone.
 *
 * @param limit the longest time over which answers have to agree
 */
private[spark] final class LowAnswers(clock: Clock, limit: Duration) {

  import LowAnswers._

  private val agreeMillis = math.min(AgreeFor.toMillis, limit.toMillis / 2)
  private var count = 0
  private var firstMillis = 0L

  def isPending: Boolean = count > 0

  /** Notes an answer. @return whether the answers so far are enough to believe them */
  def add(): Boolean = {
    val now = clock.getTimeMillis()
    if (count == 0) firstMillis = now
    count += 1
    count >= Enough && now - firstMillis >= agreeMillis
  }

  /** Notes an answer that has all events. */
  def clear(): Unit = count = 0

  /** The evidence, as part of a sentence. */
  def facts(nextSeqNo: Long): String =
    s"the next event to arrive is $nextSeqNo, as $count answers of the service in a row say"
}

private[spark] object LowAnswers {
  val Enough = 4
  private val AgreeFor = Duration.ofSeconds(10)
}
