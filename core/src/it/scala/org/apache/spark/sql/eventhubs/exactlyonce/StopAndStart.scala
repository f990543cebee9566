package org.apache.spark.sql.eventhubs.exactlyonce

import java.nio.file.Path

import scala.jdk.CollectionConverters._

import org.scalatest.Suite

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.streaming.StreamingQuery

/** Stops a query while one of its tasks is busy, and starts it again in the same application. */
trait StopAndStart extends ExactlyOnceFixture { this: Suite =>

  protected def stored(hub: String): Long =
    localHub.namespace.find(hub).get.partitions.map(_.bounds.lastSequenceNumber + 1).sum

  /** Whether a thread of this JVM is in this method of a class. */
  protected def isIn(className: String, method: String): Boolean =
    Thread.getAllStackTraces.values.asScala.exists(_.exists { frame =>
      frame.getClassName.endsWith(className) && frame.getMethodName.startsWith(method)
    })

  /**
   * Starts the query, ends it with `end` while a task is busy with the held row, and starts it again. The busy task
   * continues when the new run waits for it, or has sent all rows without waiting, and ends before the test does.
   *
   * @param sentBefore number of events in the hub when the query is ended
   */
  protected def restartWhileBusy(
      frame: DataFrame,
      held: HeldRow,
      hub: String,
      checkpoint: Path,
      sentBefore: Int,
      rows: Int,
      more: Seq[(String, String)]
  )(end: StreamingQuery => Unit): Unit = {
    val first = start(frame, hub, checkpoint, more)
    eventually("no task is busy")(held.isHeld)
    eventually(s"only ${stored(hub)} events were sent")(stored(hub) >= sentBefore)
    end(first)
    assert(!held.hasEnded)
    val second = start(frame, hub, checkpoint, more)
    try {
      eventually("the new run neither waits nor sends") {
        second.exception.foreach(throw _)
        isIn("EarlierRuns", "awaitEnd") || stored(hub) >= rows
      }
      held.release()
      eventually("the busy task does not end")(held.hasEnded)
      second.processAllAvailable()
    } finally {
      held.release()
      second.stop()
    }
  }
}
