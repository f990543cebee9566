package org.apache.spark.eventhubs.executor

import java.time.Duration

import scala.collection.mutable

import org.apache.spark.TaskKilledException
import org.apache.spark.eventhubs.retry.CancellableWait
import org.apache.spark.eventhubs.send.SendPermit
import org.apache.spark.internal.Logging

/**
 * The tasks of this JVM that send events of exactly-once writes. Two runs of one write must not send at the same time,
 * because neither finds the other's events. So a newer run takes the permits of an older one, and waits until its tasks
 * have ended.
 *
 * Across JVMs the driver sees to this: it starts no run before Spark has seen the end of all tasks of the last one.
 * This registry also knows tasks that Spark has given up: those of a stopped `SparkContext`, and those of an executor
 * that the driver had lost and found again.
 */
private[spark] final class SendingTasks extends Logging {

  import SendingTasks._

  private val tasks = mutable.HashSet.empty[Task]

  /** The last run of a write that found an older one here. Few writes ever have an entry. */
  private val refused = mutable.HashMap.empty[String, String]

  /**
   * Registers a task until it closes its permit. Waits for the end of other attempts of the same task.
   *
   * @param write          names what is written; its runs exclude each other
   * @param run            of the write
   * @param checkCancelled throws when Spark has cancelled the task
   * @return None when a task of an older run sends, or sent after this run began: the run has not seen its events
   */
  def enter(write: String, run: String, partition: Int, checkCancelled: () => Unit): Option[TaskPermit] = {
    val task = new Task(write, run, partition, checkCancelled)
    val older = synchronized {
      val others = tasks.filter(of => of.write == write && of.run != run)
      if (others.nonEmpty) refused(write) = run
      others.foreach(_.revoke())
      if (refused.get(write).contains(run)) None
      else {
        val attempts = tasks.filter(of => of.write == write && of.partition == partition).toSeq
        attempts.foreach(_.revoke())
        tasks += task
        Some(attempts)
      }
    }
    older.map { attempts =>
      try awaitEnd(attempts.contains, checkCancelled)
      catch {
        case failed: Throwable =>
          leave(task)
          throw failed
      }
      new TaskPermit(task, () => leave(task))
    }
  }

  /** Takes the permits of all tasks of this write, and waits until they have ended. For a run that has no tasks yet. */
  def endAll(write: String, checkCancelled: () => Unit): Unit = {
    synchronized(tasks.filter(_.write == write).foreach(_.revoke()))
    var nextLogNanos = System.nanoTime()
    def check(): Unit = {
      checkCancelled()
      if (System.nanoTime() - nextLogNanos >= 0) {
        nextLogNanos += LogEvery.toNanos
        logWarning(
          s"Waiting for ${tasks.count(_.write == write)} tasks of an earlier run of $write in this JVM, which may " +
            "still send. Their permits are withdrawn"
        )
      }
    }
    awaitEnd(_.write == write, () => check())
  }

  /** @param checkCancelled called while tasks are left, under this registry's lock */
  private def awaitEnd(which: Task => Boolean, checkCancelled: () => Unit): Unit = synchronized {
    while (tasks.exists(which)) {
      checkCancelled()
      wait(CancellableWait.PollMillis)
    }
  }

  private def leave(task: Task): Unit = synchronized {
    tasks -= task
    notifyAll()
  }
}

private[spark] object SendingTasks {

  private val LogEvery = Duration.ofSeconds(30)

  /** The permit of a registered task. The task closes it when nothing that it sent can still arrive. */
  final class TaskPermit private[executor] (permit: SendPermit, leave: () => Unit) extends SendPermit
      with AutoCloseable {
    override def check(): Unit = permit.check()
    override def handOver[A](send: => A): A = permit.handOver(send)
    override def close(): Unit = leave()
  }

  private final class Task(val write: String, val run: String, val partition: Int, checkCancelled: () => Unit)
      extends SendPermit {

    // Guarded by this task's lock. The registry's lock may be held when it is taken, never the other way round.
    private var isRevoked = false

    /** Returns when no hand-over is under way; there will be no other. */
    def revoke(): Unit = synchronized { isRevoked = true }

    override def check(): Unit = {
      checkCancelled()
      synchronized(if (isRevoked) throw new TaskKilledException("a newer run of the query sends this batch"))
    }

    override def handOver[A](send: => A): A = synchronized {
      check()
      send
    }
  }
}
