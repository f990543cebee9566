package org.apache.spark.eventhubs.send

import java.time.Duration

/**
 * How long one hub has been too busy for the batches of one task, since it last accepted a batch of this JVM: their
 * refused attempts and the pauses after them. What overlaps counts once, however many destinations the task writes to.
 * Time in which the task does other work does not count.
 */
private[eventhubs] final class BusyTime {

  import BusyTime._

  private var total = 0L
  private var countedUntil = Option.empty[Long]
  private var acceptedBefore = 0L

  /** Whether a task with this timeout no longer waits. */
  def exceeds(sendTimeout: Duration): Boolean = total / Timeouts > sendTimeout.toNanos

  /**
   * Counts a refused attempt.
   *
   * @param pauseEnds when it may be repeated
   * @param accepted  the number of batches that the service has accepted from this JVM so far
   */
  def add(startedNanos: Long, pauseEnds: Long, accepted: Long): Unit = {
    if (accepted > acceptedBefore) {
      acceptedBefore = accepted
      total = 0
    }
    val from = countedUntil.fold(startedNanos)(until => if (until - startedNanos > 0) until else startedNanos)
    if (pauseEnds - from > 0) {
      total += pauseEnds - from
      countedUntil = Some(pauseEnds)
    }
  }
}

private object BusyTime {

  /**
   * A busy service still accepts what it can, perhaps from other executors. If a task failed, it would only send all of
   * its rows again. So a task waits this many send timeouts for a busy service.
   */
  private val Timeouts = 10
}
