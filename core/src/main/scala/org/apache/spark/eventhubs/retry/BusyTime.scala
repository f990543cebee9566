package org.apache.spark.eventhubs.retry

/**
 * How long one hub has been too busy for the batches of one task, since it last accepted a batch of this JVM: their
 * refused attempts and the pauses after them. What overlaps counts once, however many destinations the task writes to.
 * Time in which the task does other work does not count.
 */
private[eventhubs] final class BusyTime {

  private var total = 0L
  private var countedUntil = Option.empty[Long]
  private var acceptedBefore = 0L

  def nanos: Long = total

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
