package org.apache.spark.eventhubs.connection

import java.time.Duration

import scala.jdk.CollectionConverters._

import reactor.core.publisher.Flux

/**
 * When the questions of one round are asked: the service allows 50 a second. A hub of at most 40 partitions is asked without
 * waiting; of a larger one the others follow after a second, 40 in each.
 */
private[eventhubs] object ManagementRateLimiter {

  private val AtOnce = 40
  private val MillisOfFirst = 1000L
  private val MillisBetween = 25L

  /** The ids, each when it may be asked for. */
  def paced(ids: Seq[String]): Flux[String] = {
    val (first, further) = ids.splitAt(AtOnce)
    val later = Flux.fromIterable(further.asJava)
      .delayElements(Duration.ofMillis(MillisBetween))
      .delaySubscription(Duration.ofMillis(MillisOfFirst))
    if (further.isEmpty) Flux.fromIterable(first.asJava) else Flux.concat(Flux.fromIterable(first.asJava), later)
  }

  /** From the beginning of a round to its question of that index, counted from 0; at least. */
  def startMillis(index: Int): Long = if (index < AtOnce) 0L else MillisOfFirst + (index - AtOnce + 1) * MillisBetween
}
