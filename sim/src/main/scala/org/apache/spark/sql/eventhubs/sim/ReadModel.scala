package org.apache.spark.sql.eventhubs.sim

import scala.collection.mutable

import org.apache.spark.eventhubs.rdd.OffsetRange
import org.apache.spark.eventhubs.sim.{SimHub, StoredEvent}

/** A promise that the connector did not keep. */
private[sim] final class Violation(val kind: String, text: String) extends RuntimeException(s"$kind: $text")

/**
 * What a task has read of its range.
 *
 * @param lost    events that it has reported as lost
 * @param skipped events that it has reported as expired before the first read
 * @param absent  sequence numbers that it takes for compacted away
 */
private[sim] final case class RangeResult(
    range: OffsetRange,
    generation: Int,
    epoch: Int,
    rows: Seq[StoredEvent],
    lost: Long,
    skipped: Long,
    absent: Long
)

/** What is right: docs/internals/simulation.md explains each rule. It knows nothing of the connector's state. */
private[sim] final class ReadModel(hub: SimHub, isCompacted: Boolean) {

  /** Ids of the events that committed batches have delivered. */
  private val delivered = mutable.HashSet.empty[Long]
  private val positions = mutable.HashMap.empty[Int, Long]

  /** The generation and the epoch for which the last range of each partition was planned. */
  private val planned = mutable.HashMap.empty[Int, (Int, Int)]

  /** Where the query began, in the first generation. */
  private val begun = mutable.HashMap.empty[Int, Long]

  /** Partition and generation of which a batch has delivered an event. */
  private val read = mutable.HashSet.empty[(Int, Int)]
  private def readOf(partition: Int, generation: Int): Boolean = read((partition, generation))

  var committedEvents = 0L
  var lostEvents = 0L

  def position(partition: Int): Long = positions.getOrElse(partition, 0L)

  /** The generation for which the last written range of a partition was planned; likewise [[epochOf]]. */
  def generationOf(partition: Int): Int = planned.get(partition).fold(0)(_._1)
  def epochOf(partition: Int): Int = planned.get(partition).fold(0)(_._2)

  def starts(at: Map[Int, Long]): Unit = {
    at.foreach { case (partition, seqNo) =>
      begun(partition) = seqNo
      positions(partition) = seqNo
    }
  }

  /** A row has the number and the offset of the event whose body it has. */
  def checkRow(seqNo: Long, offset: String, stored: StoredEvent): Unit =
    if (seqNo != stored.seqNo || offset != stored.offset)
      throw new Violation("mixed row", s"number $seqNo and offset $offset with the body of ${shown(stored)}")

  /** After each task. */
  def checkTask(result: RangeResult): Unit = {
    val range = result.range
    def fail(kind: String, text: String) =
      throw new Violation(kind, s"$range of generation ${result.generation}: $text")
    var last = range.fromSeqNo - 1
    result.rows.foreach { row =>
      if (row.partition != range.partitionId || row.generation != result.generation)
        fail("foreign event", s"${shown(row)} is not of the planned hub")
      if (result.epoch > 0 && row.epoch > result.epoch) fail("foreign event", s"${shown(row)} is of a later epoch")
      if (row.seqNo <= last) fail("order", s"event ${row.seqNo} came after event $last")
      if (row.seqNo >= range.untilSeqNo) fail("order", s"event ${row.seqNo} is after the range")
      last = row.seqNo
    }
    val accounted = result.rows.length + result.lost + result.skipped + result.absent
    if (accounted != range.count)
      fail(
        "silent loss",
        s"${result.rows.length} events, ${result.lost} lost, ${result.skipped} skipped and ${result.absent} absent " +
          s"are not ${range.count}"
      )
    if (result.skipped > 0 && (!range.startsAtEarliest || readOf(range.partitionId, result.generation)))
      fail("silent loss", s"${result.skipped} events are skipped at the start, but the partition was read before")
    if (result.absent > 0 && !isCompacted) fail("silent loss", s"${result.absent} absent in a hub without compaction")
    if (result.generation == hub.generation && hub.partitions.isDefinedAt(range.partitionId)) {
      val partition = hub.partitions(range.partitionId)
      val came = result.rows.iterator.map(_.seqNo).toSet
      if (partition.epoch == result.epoch || result.epoch == 0)
        (range.fromSeqNo until range.untilSeqNo).find(seqNo => !came(seqNo) && partition.isRetained(seqNo)).foreach {
          seqNo => fail("false loss", s"event $seqNo is retained and was not delivered")
        }
    }
    lostEvents += result.lost
  }

  /** Before a batch is written to the sink. @param reported losses that the driver has reported since the last batch */
  def commit(batch: Long, results: Seq[RangeResult], reported: Long): Unit = {
    val passedOver = results.map { result =>
      val partition = result.range.partitionId
      val isSame = planned.get(partition).contains((result.generation, result.epoch))
      if (isSame) math.max(0L, result.range.fromSeqNo - position(partition)) else 0L
    }.sum
    if (passedOver > reported)
      throw new Violation("silent loss", s"batch $batch passes over $passedOver events, and $reported are reported")
    results.foreach { result =>
      val range = result.range
      val partition = range.partitionId
      def fail(kind: String, text: String) = throw new Violation(kind, s"batch $batch begins with $range, $text")
      val hubNow = (result.generation, result.epoch)
      val isAnother = planned.get(partition).exists(_ != hubNow)
      if (isAnother && reported == 0)
        fail("silent loss", s"of $hubNow instead of ${planned(partition)}, without a report")
      // A partition that was added begins at its first number.
      val position = positions.getOrElse(partition, 0L)
      if (range.fromSeqNo < position && planned.get(partition).contains(hubNow))
        fail("position", s"before position $position")
      if (range.fromSeqNo > position && reported == 0)
        fail("silent loss", s"after position $position, without a report")
      result.rows.foreach { row =>
        read += ((row.partition, row.generation))
        if (!delivered.add(row.id)) throw new Violation("duplicate", s"batch $batch has ${shown(row)} again")
      }
      committedEvents += result.rows.length
      positions(partition) = range.untilSeqNo
      planned(partition) = hubNow
    }
  }

  /** A repeated batch has the same events, as far as the hub has them. */
  def checkRepeated(batch: Long, before: Seq[RangeResult], again: Seq[RangeResult]): Unit = {
    val lost = again.map(result => result.lost + result.skipped + result.absent).sum
    val lostBefore = before.map(result => result.lost + result.skipped + result.absent).sum
    val (old, repeated) = (before.flatMap(_.rows.map(_.id)), again.flatMap(_.rows.map(_.id)))
    val same = if (lost == lostBefore) old == repeated else repeated.toSet.subsetOf(old.toSet)
    if (!same) throw new Violation("repeated batch", s"batch $batch had ${old.length} events, now ${repeated.length}")
  }

  /** At the end, when all batches are read: each event that is retained and before the position was delivered. */
  def checkEnd(): Unit = hub.partitions.foreach { partition =>
    val until = position(partition.id)
    val from = if (hub.generation == 0) begun.getOrElse(partition.id, 0L) else 0L
    partition.events.subMap(from, math.max(from, until)).values.forEach { event =>
      if (!delivered(event.id)) throw new Violation("silent loss", s"${shown(event)} is before $until, not delivered")
    }
  }

  private def shown(event: StoredEvent): String =
    s"event ${event.seqNo} of partition ${event.partition}, epoch ${event.epoch}, generation ${event.generation}"
}
