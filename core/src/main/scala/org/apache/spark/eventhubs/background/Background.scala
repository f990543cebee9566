package org.apache.spark.eventhubs.background

/** Other threads than those of tasks. What they run must not wait for a task or for the service. */
private[spark] trait Background {

  /** Runs `work` soon. */
  def run(work: () => Unit): Unit

  /** Runs `work` when this time has passed. */
  def runAfter(nanos: Long)(work: () => Unit): Unit
}
