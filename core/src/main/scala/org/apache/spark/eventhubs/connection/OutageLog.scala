package org.apache.spark.eventhubs.connection

import java.util.concurrent.TimeUnit.{NANOSECONDS, SECONDS}

import scala.collection.mutable

import org.apache.spark.eventhubs.EventHubName
import org.apache.spark.internal.Logging
import org.apache.spark.util.Clock

/**
 * Says in the log of this JVM that a hub does not answer: soon after the first question without an answer, then rarely,
 * however many tasks wait for it. Says also when the hub answers again.
 */
private[spark] final class OutageLog(clock: Clock) extends Logging {

  import OutageLog._

  private val saidAt = mutable.Map.empty[EventHubName, Long]

  /**
   * A question waits for its answer. Called often.
   *
   * @param sinceNanos  since when, as `System.nanoTime`
   * @param lastFailure of an attempt to ask it
   */
  def waiting(hub: EventHubName, doing: String, sinceNanos: Long, lastFailure: => Option[Throwable]): Unit = {
    val waited = clock.nanoTime() - sinceNanos
    if (waited >= SaidAfterNanos && isNews(hub)) {
      val why = lastFailure.fold("")(failed => s". The last attempt failed: ${SdkErrors.shown(failed)}")
      logWarning(
        s"Event hub $hub has not answered for ${NANOSECONDS.toSeconds(waited)} s, while $doing. Waiting for it$why"
      )
    }
  }

  def answered(hub: EventHubName): Unit =
    if (synchronized(saidAt.remove(hub)).isDefined) logWarning(s"Event hub $hub answers again")

  private def isNews(hub: EventHubName): Boolean = synchronized {
    val now = clock.nanoTime()
    val news = saidAt.get(hub).forall(now - _ >= AgainAfterNanos)
    if (news) saidAt(hub) = now
    news
  }
}

private object OutageLog {
  private val SaidAfterNanos = SECONDS.toNanos(5)
  private val AgainAfterNanos = SECONDS.toNanos(60)
}
