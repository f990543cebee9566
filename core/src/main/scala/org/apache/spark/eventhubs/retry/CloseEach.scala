package org.apache.spark.eventhubs.retry

/** Closes several resources. One that fails to close keeps none of the others open. */
private[spark] object CloseEach {

  /** Throws the first failure, after all were tried. */
  def apply(resources: Iterable[AutoCloseable]): Unit =
    steps(resources.toSeq.map(resource => () => resource.close()): _*)

  /** Makes all calls, then throws the first failure. */
  def steps(all: (() => Unit)*): Unit = {
    val failures = all.flatMap { step =>
      try {
        step()
        None
      } catch { case failed: Throwable => Some(failed) }
    }
    failures.headOption.foreach { first =>
      failures.tail.filterNot(_ eq first).foreach(first.addSuppressed)
      throw first
    }
  }
}
