package org.apache.spark.sql.eventhubs.exactlyonce

import java.time.Duration

import scala.annotation.tailrec
import scala.jdk.CollectionConverters._

import org.apache.spark.SparkContext
import org.apache.spark.eventhubs.executor.{ExecutorResources, WriteRuns}
import org.apache.spark.eventhubs.retry.CancellableWait
import org.apache.spark.internal.Logging
import org.apache.spark.scheduler.{Schedulable, TaskSetManager}

/**
 * What earlier runs of a write still do in this application. A run that was told to stop may be between two jobs, for
 * example while it reads back, and its killed tasks, on all executors, run until they notice. A busy function may put
 * that off for long, and a task may send a batch until then.
 *
 * Spark's scheduler forgets a stage when the executors have reported the end of all its tasks, and a task ends when it
 * has the answers to what it sent. Tasks of a lost executor count as ended.
 *
 * @param write names what is written; the same in all runs
 * @param own   this run, which began before it looked at what earlier ones left
 */
private[eventhubs] final class EarlierRuns(sc: SparkContext, write: String, own: WriteRuns.Run) extends Logging {

  /** Runs `jobs` so that later runs know their tasks. */
  def marking[A](jobs: => A): A = {
    val before = sc.getLocalProperty(EarlierRuns.Property)
    sc.setLocalProperty(EarlierRuns.Property, write)
    try jobs
    finally sc.setLocalProperty(EarlierRuns.Property, before)
  }

  /**
   * Waits until the earlier runs and all their tasks have ended, and until everything that they sent has arrived.
   *
   * @throws java.lang.IllegalStateException when the `SparkContext` is stopped, which ends the tasks unseen
   */
  @tailrec
  def awaitEnd(settle: Duration): Unit = {
    awaitDriver()
    awaitTasks()
    ExecutorResources.get.sendingTasks.endAll(write, checkCancelled = () => ())
    Thread.sleep(settle.toMillis)
    // The cancellation of a job may come late, when its next stage just starts.
    if (stages.nonEmpty) awaitEnd(settle)
  }

  private def awaitDriver(): Unit = {
    val rarely = new Rarely
    ExecutorResources.get.writeRuns.awaitOthers(
      own,
      () => rarely.warn(s"Waiting for an earlier run of $write in this driver, which may still send")
    )
  }

  private def awaitTasks(): Unit = {
    val rarely = new Rarely
    var running = stages
    while (running.nonEmpty) {
      rarely.warn(
        s"Waiting for ${running.map(_.runningTasks).sum} tasks of an earlier run of $write, which may still " +
          s"send (${running.map(of => s"stage ${of.stageId}").mkString(", ")}). Spark has told them to stop"
      )
      Thread.sleep(CancellableWait.PollMillis)
      running = stages
    }
  }

  private final class Rarely {
    private var nextNanos = System.nanoTime()

    def warn(text: => String): Unit = if (System.nanoTime() - nextNanos >= 0) {
      nextNanos += EarlierRuns.LogEvery.toNanos
      logWarning(text)
    }
  }

  private def stages: Seq[TaskSetManager] =
    try {
      val scheduler = sc.taskScheduler
      // Checked after the read, because a context drops its scheduler some time after it counts as stopped.
      sc.assertNotStopped()
      all(scheduler.rootPool).filter { stage =>
        Option(stage.taskSet.properties).exists(_.getProperty(EarlierRuns.Property) == write)
      }
    } catch {
      case missing: LinkageError =>
        logWarning(
          "This Spark does not tell which tasks run, so the settle delay must be enough for them to end",
          missing
        )
        Nil
    }

  private def all(schedulable: Schedulable): Seq[TaskSetManager] = schedulable match {
    case stage: TaskSetManager => Seq(stage)
    case pool => Option(pool.schedulableQueue).toSeq.flatMap(_.asScala.toSeq).flatMap(all)
  }
}

private object EarlierRuns {
  private val Property = "spark.eventhubs.write"
  private val LogEvery = Duration.ofSeconds(30)
}
