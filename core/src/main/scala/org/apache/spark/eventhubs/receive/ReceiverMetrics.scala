package org.apache.spark.eventhubs.receive

/** What a receiver did for the task that has it. Written and read by that task's thread. */
final class ReceiverMetrics {

  /** Of the bodies. */
  var bytes = 0L

  /** Time during which the task had nothing to do but wait for an event. */
  var waitedMillis = 0L
  var linksOpened = 0L

  /** How often the service was too busy to go on. */
  var throttled = 0L

  /** For the next task. */
  def reset(): Unit = {
    bytes = 0L
    waitedMillis = 0L
    linksOpened = 0L
    throttled = 0L
  }
}
