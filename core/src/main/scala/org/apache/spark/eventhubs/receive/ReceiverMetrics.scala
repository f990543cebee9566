package org.apache.spark.eventhubs.receive

/** What a receiver did for its current task. Used by that task's thread only. */
private[eventhubs] final class ReceiverMetrics {

  /** Bytes of the bodies. */
  var bytes = 0L

  /** Time that the task waited for events. */
  var waitedMillis = 0L
  var linksOpened = 0L

  /** How often the service was too busy. */
  var throttled = 0L

  /** Starts at zero for the next task. */
  def reset(): Unit = {
    bytes = 0L
    waitedMillis = 0L
    linksOpened = 0L
    throttled = 0L
  }
}
