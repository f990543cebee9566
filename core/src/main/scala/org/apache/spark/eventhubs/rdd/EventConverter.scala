package org.apache.spark.eventhubs.rdd

import org.apache.spark.eventhubs.amqp.ReceivedEvent

/** Turns events into the elements of an RDD. It is serialized to the executors; `open` creates the state of a task. */
private[spark] trait EventConverter[T] extends Serializable {

  /** The function for one range. It may return one reused object, which is valid until the next call. */
  def open(range: OffsetRange): ReceivedEvent => T
}
