package org.apache.spark.eventhubs.checkpoints

import java.time.Duration

import scala.util.control.NonFatal
import scala.util.{Failure, Success}

import org.apache.spark.eventhubs.background.ConcurrentCalls
import org.apache.spark.eventhubs.blob.{BlobStore, WriteCondition, WriteOutcome}
import org.apache.spark.internal.Logging

/**
 * Writes the checkpoints of one query to its store, on a thread of its own. Best effort: a store that is slow or away
 * delays the checkpoints, and neither blocks nor fails the query. A failed write is repeated until it succeeds or a
 * newer checkpoint replaces it.
 *
 * @param interval shortest time between two writes of one blob
 * @param mayWrite whether a checkpoint may still be written to its blob, asked right before; others are dropped
 * @param isNeeded whether anyone may still offer checkpoints; otherwise the thread ends, also without `close()`
 * @param nanos    a clock that never goes back
 */
private[spark] final class CheckpointPublisher(
    store: BlobStore,
    interval: Duration,
    mayWrite: (String, Checkpoint) => Boolean = (_, _) => true,
    isNeeded: () => Boolean = () => true,
    nanos: () => Long = () => System.nanoTime()
) extends AutoCloseable
    with Logging {

  import CheckpointPublisher._

  private val pending = new PendingCheckpoints(interval.toMillis)
  private var failureCount = 0L
  private var failuresInARow = 0
  private var notBefore = Long.MinValue
  private var warnedAt = Option.empty[Long]

  /** Blobs whose last write failed. Only the thread uses it. */
  private var failing = Set.empty[String]
  private var isClosing = false

  private val thread = new Thread(() => run(), s"checkpoints to ${store.name}")
  thread.setDaemon(true)
  thread.start()

  /** Takes the checkpoints of a committed batch, by blob, and returns at once. */
  def offer(checkpoints: Map[String, Checkpoint]): Unit = synchronized {
    if (!isClosing && checkpoints.nonEmpty) {
      pending.offer(checkpoints, now)
      notifyAll()
    }
  }

  /** Failed writes so far. */
  def failures: Long = synchronized(failureCount)

  /** How long the oldest checkpoint waits that is not in the store; 0 when all are there. */
  def ageMillis: Long = synchronized(pending.ageMillis(now))

  /** Writes what waits, for a bounded time, and ends the thread. Blobs that failed last are not waited for. */
  override def close(): Unit = {
    synchronized {
      isClosing = true
      notifyAll()
    }
    thread.join(LongestEnd.toMillis)
    if (thread.isAlive) {
      thread.interrupt()
      thread.join(AfterInterrupt.toMillis)
    }
    synchronized {
      if (!pending.isEmpty) logWarning(s"${pending.all.size} checkpoints are not in ${store.name}: the query ended")
    }
  }

  private def run(): Unit =
    try {
      var round = take()
      while (round.nonEmpty) {
        write(round.get)
        round = take()
      }
    } catch { case _: InterruptedException => () }

  /** Waits for blobs that are due. None at the end. */
  private def take(): Option[Seq[(String, Checkpoint)]] = synchronized {
    var round = Option.empty[Seq[(String, Checkpoint)]]
    while (round.isEmpty && !isClosing && (isNeeded() || !pending.isEmpty && failuresInARow == 0)) {
      pending.nextDue.map(due => math.max(due, notBefore)) match {
        case Some(due) if due <= now => round = Some(pending.due(now))
        case Some(due) => wait(math.max(1L, due - now))
        case None => wait(LongestIdleWait.toMillis)
      }
    }
    if (round.isEmpty && isClosing) last else round
  }

  /** What may still succeed at the end; None when all is written or has failed. */
  private def last: Option[Seq[(String, Checkpoint)]] =
    Some(pending.all.filterNot { case (blob, _) => failuresInARow > 0 && failing(blob) }).filter(_.nonEmpty)

  /**
   * Ends after the first failure: the others would most likely fail too, and each after a time-out. Blobs that failed
   * before come last, so that one which cannot be written, such as a leased one, does not hold up the others.
   */
  private def write(round: Seq[(String, Checkpoint)]): Unit = {
    val groups = round.sortBy { case (blob, _) => failing(blob) }.grouped(ConcurrentCalls.AtATime)
    var isFailed = false
    while (groups.hasNext && !isFailed) isFailed = !attempt(groups.next())
  }

  /** Whatever goes wrong ends the attempt and not the thread: the next attempt may succeed. */
  private def attempt(group: Seq[(String, Checkpoint)]): Boolean =
    try writeGroup(group)
    catch {
      // The machine may have no thread left.
      case failed @ (NonFatal(_) | _: OutOfMemoryError) =>
        failing ++= group.map { case (blob, _) => blob }
        noteFailure(failed, 1)
        false
    }

  /** Writes at the same time. False when a write failed. */
  private def writeGroup(group: Seq[(String, Checkpoint)]): Boolean = {
    val (wanted, others) = group.partition { case (blob, checkpoint) => mayWrite(blob, checkpoint) }
    synchronized(others.foreach { case (blob, checkpoint) => pending.drop(blob, checkpoint) })
    var failures = Seq.empty[Throwable]
    ConcurrentCalls.each("eventhubs-checkpoints", wanted) { case (blob, checkpoint) => writeOne(blob, checkpoint) } {
      case ((blob, checkpoint), Success(_)) =>
        failing -= blob
        confirmed(blob, checkpoint)
      // The query has ended.
      case (_, Failure(_: InterruptedException)) => ()
      case ((blob, _), Failure(failed)) =>
        failing += blob
        failures :+= failed
    }
    failures.headOption.foreach(noteFailure(_, failures.size))
    failures.isEmpty
  }

  /** Sets the metadata of the blob, and uploads the blob when it does not exist, as the SDKs do. */
  private def writeOne(blob: String, checkpoint: Checkpoint): Unit = {
    val metadata = Map("sequencenumber" -> checkpoint.seqNo.toString, "offset" -> checkpoint.offset)
    if (store.setMetadata(blob, metadata, WriteCondition.Always) == WriteOutcome.NoSuchBlob)
      store.upload(blob, BlobStore.NoContent, metadata, WriteCondition.Always)
    ()
  }

  private def confirmed(blob: String, checkpoint: Checkpoint): Unit = synchronized {
    pending.confirm(blob, checkpoint, now)
    if (failuresInARow > 0) logInfo(s"Checkpoints are written to ${store.name} again")
    failuresInARow = 0
    notBefore = Long.MinValue
  }

  /** @param count of the writes that failed at the same time */
  private def noteFailure(failed: Throwable, count: Int): Unit = synchronized {
    failureCount += count
    failuresInARow += 1
    notBefore = now + math.min(LongestPause.toMillis, FirstPause.toMillis << math.min(failuresInARow - 1, 10))
    if (warnedAt.forall(last => now - last >= WarnAgain.toMillis)) {
      warnedAt = Some(now)
      logWarning(s"A checkpoint was not written; the query continues: ${failed.getMessage}")
    } else logDebug("A checkpoint was not written", failed)
  }

  private def now: Long = nanos() / 1000000L
}

private object CheckpointPublisher {
  val LongestEnd: Duration = Duration.ofSeconds(5)
  val AfterInterrupt: Duration = Duration.ofSeconds(1)
  val FirstPause: Duration = Duration.ofSeconds(1)
  val LongestPause: Duration = Duration.ofMinutes(1)
  val WarnAgain: Duration = Duration.ofMinutes(10)

  /** How often an idle thread looks whether it is needed. */
  val LongestIdleWait: Duration = Duration.ofSeconds(5)
}
