package org.apache.spark.eventhubs.rdd

import org.apache.spark.eventhubs.amqp.ReceivedEvent

/** Turns events into what an RDD holds. Travels to the executors; what it keeps per task is made by `open`. */
trait EventConverter[T] extends Serializable {

  /** The function for one range; what it returns may be one reused object, valid until the next call. */
  def open(range: OffsetRange): ReceivedEvent => T
}
