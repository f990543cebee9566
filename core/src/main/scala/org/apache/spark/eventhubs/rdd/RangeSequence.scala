package org.apache.spark.eventhubs.rdd

import scala.collection.mutable

/**
 * The ranges of one task, opened in order. Each range is opened when the task starts to read the one before it, so that
 * its first events have arrived by the time the task needs them.
 *
 * @param ranges of different partitions; a range that continues another one would not find its receiver in the cache
 *               yet
 * @param open   starts to receive a range
 */
private[spark] final class RangeSequence[A](ranges: Seq[OffsetRange])(open: OffsetRange => A) extends Iterator[A] {

  private val unopened = mutable.Queue.from(ranges)
  private var nextOpened = Option.empty[A]

  override def hasNext: Boolean = unopened.nonEmpty

  override def next(): A = {
    val range = unopened.dequeue()
    val opened = nextOpened.getOrElse(open(range))
    nextOpened = unopened.headOption.map(open)
    opened
  }
}
