package org.apache.spark.eventhubs.send

/** Allows one task to give batches to a connection, until it has to stop. */
private[spark] trait SendPermit {

  /** Throws when the task has to stop. Cheap enough to be called in every wait. */
  def check(): Unit

  /**
   * Throws when the task has to stop, and runs `handOver` otherwise. Both are one step: when a permit is revoked,
   * nothing is handed over afterwards.
   */
  def handOver[A](send: => A): A
}

private[spark] object SendPermit {

  /**
   * Permits what a task sends that only Spark stops.
   *
   * @param checkCancelled throws when Spark has cancelled the task
   */
  def apply(checkCancelled: () => Unit): SendPermit = new SendPermit {

    override def check(): Unit = checkCancelled()

    override def handOver[A](send: => A): A = {
      checkCancelled()
      send
    }
  }
}
