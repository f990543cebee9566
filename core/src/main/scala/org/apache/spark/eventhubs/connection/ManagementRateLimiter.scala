package org.apache.spark.eventhubs.connection

import java.time.Duration

import scala.jdk.CollectionConverters._

import reactor.core.publisher.Flux

/**
 * Spreads the management calls about a hub's partitions over time, because the service allows 50 calls a second. The
 * first 40 calls start at once. The others follow after a second, 40 in each second.
 */
private[eventhubs] object ManagementRateLimiter {

  private val FirstCalls = 40
  private val MillisBeforeOthers = 1000L
  private val MillisBetween = 25L

  /** Emits each id when the call about it may start. */
  def spread(ids: Seq[String]): Flux[String] = {
    val (first, others) = ids.splitAt(FirstCalls)
    val later = Flux.fromIterable(others.asJava)
      .delayElements(Duration.ofMillis(MillisBetween))
      .delaySubscription(Duration.ofMillis(MillisBeforeOthers))
    if (others.isEmpty) Flux.fromIterable(first.asJava) else Flux.concat(Flux.fromIterable(first.asJava), later)
  }

  /** Shortest time from the first call to the call of this index, counted from 0. */
  def startMillis(index: Int): Long =
    if (index < FirstCalls) 0L else MillisBeforeOthers + (index - FirstCalls + 1) * MillisBetween
}
