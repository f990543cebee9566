package org.apache.spark.sql.eventhubs.planning

import java.util.concurrent.{ConcurrentLinkedQueue, CountDownLatch, TimeUnit}

import scala.jdk.CollectionConverters._
import scala.util.{Failure, Try}

import org.apache.spark.TaskContext
import org.apache.spark.sql.Row

/**
 * Checks something while the first task of a job reads its range. The other tasks that run at the same time wait until
 * then, so that no core is free for the next one. Tasks run in this JVM, so they find these hooks.
 */
private[planning] object HeldTasks {

  @volatile private var onQuarter: () => Unit = () => ()
  @volatile private var onEnd: () => Unit = () => ()
  @volatile private var others = new CountDownLatch(0)
  private val failures = new ConcurrentLinkedQueue[Throwable]

  /** For the next job. A failed check does not fail its task, which would be repeated. */
  def check(atQuarter: => Unit, atEnd: => Unit = ()): Unit = {
    failures.clear()
    others = new CountDownLatch(1)
    onQuarter = () => note(atQuarter)
    onEnd = () =>
      try note(atEnd)
      finally others.countDown()
  }

  private def note(check: => Unit): Unit = Try(check) match {
    case Failure(failed) => failures.add(failed)
    case _ => ()
  }

  /** Throws the first failure of a check. */
  def orThrow(): Unit = {
    val found = failures.asScala.toSeq
    failures.clear()
    found.headOption.foreach(throw _)
  }

  /** @param count rows of the first task */
  def watched(count: Int): Iterator[Row] => Iterator[Row] = rows =>
    if (TaskContext.getPartitionId() > 0) {
      others.await(150, TimeUnit.SECONDS)
      rows
    } else
      rows.zipWithIndex.map { case (row, index) =>
        if (index == count / 4) onQuarter()
        // Spark may be some rows ahead of its reader.
        if (index == count - 1) onEnd()
        row
      }
}
