package org.apache.spark.eventhubs.checkpoints

/** The last processed event of a partition, as a blob has it. */
private[spark] final case class Checkpoint(seqNo: Long, offset: String)

/**
 * What is to be written to the store, by blob: the newest checkpoint wins, and a blob is written at most once per
 * interval. Times are in milliseconds of a clock that never goes back. Not thread-safe.
 */
private[checkpoints] final class PendingCheckpoints(intervalMillis: Long) {

  import PendingCheckpoints._

  private var waiting = Map.empty[String, Waiting]
  private var written = Map.empty[String, Checkpoint]
  private var writtenAt = Map.empty[String, Long]

  def isEmpty: Boolean = waiting.isEmpty

  def offer(checkpoints: Map[String, Checkpoint], now: Long): Unit = checkpoints.foreach { case (blob, checkpoint) =>
    if (written.get(blob).contains(checkpoint)) waiting -= blob
    else waiting = waiting.updated(blob, Waiting(checkpoint, waiting.get(blob).fold(now)(_.since)))
  }

  /** The blobs that may be written now, those that wait longest first. They stay until [[confirm]]. */
  def due(now: Long): Seq[(String, Checkpoint)] =
    waiting.toSeq.filter { case (blob, _) => dueAt(blob) <= now }.sortBy(_._2.since)
      .map { case (blob, entry) => blob -> entry.checkpoint }

  /** All that waits, whatever the interval. */
  def all: Seq[(String, Checkpoint)] = waiting.toSeq.map { case (blob, entry) => blob -> entry.checkpoint }

  /** The earliest time at which a blob is due; None when none waits. */
  def nextDue: Option[Long] = waiting.keys.map(dueAt).reduceOption(_ min _)

  /** A newer checkpoint of the blob may have come while it was written. */
  def confirm(blob: String, checkpoint: Checkpoint, now: Long): Unit = {
    written = written.updated(blob, checkpoint)
    writtenAt = writtenAt.updated(blob, now)
    waiting.get(blob).foreach { entry =>
      waiting = if (entry.checkpoint == checkpoint) waiting - blob else waiting.updated(blob, entry.copy(since = now))
    }
  }

  /** Forgets a checkpoint that shall not be written, unless a newer one has come. */
  def drop(blob: String, checkpoint: Checkpoint): Unit =
    if (waiting.get(blob).exists(_.checkpoint == checkpoint)) waiting -= blob

  /** How long the oldest checkpoint has waited; 0 when none waits. */
  def ageMillis(now: Long): Long = waiting.values.map(entry => now - entry.since).foldLeft(0L)(_ max _)

  private def dueAt(blob: String): Long = writtenAt.get(blob).fold(Long.MinValue)(_ + intervalMillis)
}

private object PendingCheckpoints {

  /** @param since when the first checkpoint was offered that is not in the store */
  final case class Waiting(checkpoint: Checkpoint, since: Long)
}
