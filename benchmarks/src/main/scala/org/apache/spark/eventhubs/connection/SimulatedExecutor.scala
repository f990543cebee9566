package org.apache.spark.eventhubs.connection

import org.apache.spark.eventhubs.executor.ExecutorResources
import org.apache.spark.eventhubs.options.{ReadMode, ReadSettings}
import org.apache.spark.util.ManualClock

/**
 * What one executor opens and asks, with the connector's own pools, caches and checks.
 *
 * @param tasksAtATime that it runs
 * @param seed         of the times of its events
 */
final class SimulatedExecutor(hub: CountedHub, settings: Map[String, String], tasksAtATime: Int, seed: Int) {

  private val parsed = ReadSettings.parse(settings, ReadMode.Stream)
  private val random = new scala.util.Random(seed)

  private val resources = new ExecutorResources(
    _ => hub.connect(),
    _ => throw new UnsupportedOperationException("nothing is written"),
    new ManualClock(0L)
  )

  /** Questions about the hub's generation so far. */
  var questions = 0

  private def verify(enqueuedMillis: Long): Unit = {
    resources.verifiedGenerations.difference(parsed.connection, CountedHub.Generation, enqueuedMillis) {
      questions += 1
      None
    }
    ()
  }

  def connections: Int = resources.clients.size

  /**
   * Reads these partitions in one micro-batch.
   *
   * @param isFirst whether all links are new; their first events have times anywhere within a day
   */
  def batch(partitions: Seq[Int], isFirst: Boolean): Unit = partitions.grouped(tasksAtATime).foreach { wave =>
    val receivers = wave.map(resources.receivers.acquire(parsed, _, CountedHub.Generation, 0, fresh = false))
    if (isFirst) receivers.foreach(_ => verify(random.nextInt(SimulatedExecutor.DayMillis).toLong))
    receivers.foreach(resources.receivers.release)
  }
}

private object SimulatedExecutor {
  private val DayMillis = 86400000
}
