package org.apache.spark.sql.eventhubs.exactlyonce

import scala.util.Success

import org.apache.spark.eventhubs.EventHubName
import org.apache.spark.eventhubs.options.ReadSettings
import org.apache.spark.sql.eventhubs.hubs.InParallel
import org.apache.spark.sql.eventhubs.planning.InBackground

/**
 * The ends of hubs, so recent that a query with short batches does not query the service for every batch. Older ends,
 * also of an answer that lags behind, are correct in the record of a batch: after a failure a few more events are read
 * back. So a batch does not wait for newer ends of a hub with many partitions, which take many seconds: the next one
 * has them.
 */
private[eventhubs] final class CachedHubPositions(settings: EventHubName => ReadSettings) {

  import CachedHubPositions._

  private var last = Map.empty[String, Known]

  /** Questions that are asked while batches are sent, with their times. */
  private var asking = Map.empty[String, (Long, InBackground[HubPositions])]

  /** Notes an answer that was just given. */
  def note(positions: HubPositions): Unit = last += positions.hub.key -> Known(System.nanoTime(), positions)

  /** In the order of the hubs. Those that are not known are asked at the same time. */
  def of(hubs: Seq[EventHubName]): Seq[HubPositions] = {
    val now = System.nanoTime()
    takeAnswers()
    val fresh = newNanos(hubs)
    val unknown = hubs.filterNot(hub => last.get(hub.key).exists(known => isEnough(now - known.askedNanos, fresh)))
    asking --= unknown.map(_.key)
    last ++= InParallel.map(unknown)(hub => hub.key -> Known(now, ask(hub, last.get(hub.key))))
    hubs.filterNot(hub => asking.contains(hub.key) || now - last(hub.key).askedNanos < fresh).foreach { hub =>
      val known = last.get(hub.key)
      asking += hub.key -> ((now, InBackground.limited(ask(hub, known))))
    }
    hubs.map(hub => last(hub.key).positions)
  }

  /** At least 5 s, and as long as the next round of questions about the hubs of a batch may take. */
  private def newNanos(hubs: Seq[EventHubName]): Long = {
    val questions = hubs.flatMap(hub => last.get(hub.key)).map(_.positions.next.size + 1L).sum
    math.max(5L, questions / QuestionsPerSecond) * Second
  }

  /** Few partitions are asked about within the batch. */
  private def isEnough(age: Long, fresh: Long): Boolean = age < fresh || fresh > 5 * Second && age < EnoughFor * fresh

  /** The next answer may come from a replica that lags behind the latest one. */
  private def ask(hub: EventHubName, known: Option[Known]): HubPositions =
    ReadBack.reportedPositions(settings(hub), known.map(_.positions))._1

  private def takeAnswers(): Unit = {
    val ended = for ((hub, (asked, question)) <- asking.toSeq; answer <- question.result) yield (hub, asked, answer)
    asking --= ended.map(_._1)
    last ++= ended.collect { case (hub, asked, Success(positions)) => hub -> Known(asked, positions) }
  }
}

private object CachedHubPositions {

  private val Second = 1000L * 1000 * 1000

  /** A query asks no more than this about its hubs in a second. The service allows 50 for all programs. */
  private val QuestionsPerSecond = 20

  /** How many times longer ends are used while others are asked for. Then the service's failure is the batch's. */
  private val EnoughFor = 10

  private final case class Known(askedNanos: Long, positions: HubPositions)
}
