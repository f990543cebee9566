package org.apache.spark.eventhubs.rdd

import scala.collection.mutable

/**
 * A task's ranges, opened in their order. Each is opened when the one before it begins to be read, so that its link is there
 * and its first events have come when its turn comes.
 *
 * @param ranges of different partitions: one that went on where another ends would have to wait for its receiver
 * @param open   begins to receive a range
 */
private[spark] final class RangeSequence[A](ranges: Seq[OffsetRange])(open: OffsetRange => A) extends Iterator[A] {

  private val waiting = mutable.Queue.from(ranges)
  private var ahead = Option.empty[A]

  override def hasNext: Boolean = waiting.nonEmpty

  override def next(): A = {
    val range = waiting.dequeue()
    val opened = ahead.getOrElse(open(range))
    ahead = waiting.headOption.map(open)
    opened
  }
}
