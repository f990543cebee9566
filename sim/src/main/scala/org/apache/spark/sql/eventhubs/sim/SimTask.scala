package org.apache.spark.sql.eventhubs.sim

import java.util.Properties

import org.apache.spark.TaskContextImpl
import org.apache.spark.eventhubs.sim.World
import org.apache.spark.executor.TaskMetrics

/** A task's context. Whenever the task asks whether it was killed, other things happen first. */
private[sim] final class SimTask(world: World, attempt: Int, isKilled: () => Boolean)
    extends TaskContextImpl(
      0,
      0,
      0,
      1L,
      attempt,
      1,
      null,
      new Properties,
      null,
      SimTask.metrics,
      1,
      Map.empty
    ) {

  override def isInterrupted(): Boolean = {
    world.taskWaits()
    isKilled()
  }
}

private object SimTask {

  /** One for all: each registers its counters in a table of the JVM. */
  private lazy val metrics = TaskMetrics.empty
}
