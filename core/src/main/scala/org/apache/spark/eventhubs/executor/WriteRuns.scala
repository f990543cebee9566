package org.apache.spark.eventhubs.executor

import scala.collection.mutable

import org.apache.spark.eventhubs.retry.CancellableWait

/**
 * The runs of exactly-once writes that this JVM drives. Spark knows a run only while its tasks are scheduled. Between
 * its jobs, while it waits or asks the service, a run that was told to stop may still start its next job.
 */
private[spark] final class WriteRuns {

  import WriteRuns._

  /** In the order in which they began, or began to wait. Each waits for those before it, so no two for each other. */
  private val active = mutable.ArrayBuffer.empty[Run]

  /**
   * Begins a run, until it is closed.
   *
   * @param write names what is written; its runs exclude each other
   */
  def begin(write: String): Run = synchronized {
    val run = new Run(write, this)
    active += run
    run
  }

  /**
   * Waits until the other runs of the same write have ended, without those that begin or wait after this call.
   *
   * @param check called while such a run is active; it may throw
   */
  def awaitOthers(run: Run, check: () => Unit): Unit = synchronized {
    active -= run
    active += run
    notifyAll()
    while (active.takeWhile(_ ne run).exists(_.write == run.write)) {
      check()
      wait(CancellableWait.PollMillis)
    }
  }

  private def end(run: Run): Unit = synchronized {
    active -= run
    notifyAll()
  }
}

private[spark] object WriteRuns {

  final class Run private[executor] (private[executor] val write: String, runs: WriteRuns) extends AutoCloseable {
    override def close(): Unit = runs.end(this)
  }
}
