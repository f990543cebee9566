package localhub.namespace

import java.util.concurrent.{Executors, TimeUnit}

import org.slf4j.LoggerFactory

/**
 * Applies retention and compaction every few seconds on its own thread, until closed.
 *
 * @param compact called for each hub
 */
private[localhub] final class RetentionSweep(namespace: Namespace, compact: EventHub => Unit) extends AutoCloseable {
  private val log = LoggerFactory.getLogger(getClass)
  private val timer = Executors.newSingleThreadScheduledExecutor { task =>
    val thread = new Thread(task, "localhub-retention")
    thread.setDaemon(true)
    thread
  }

  timer.scheduleWithFixedDelay(() => sweep(), RetentionSweep.Seconds, RetentionSweep.Seconds, TimeUnit.SECONDS)

  override def close(): Unit = {
    timer.shutdown()
    timer.awaitTermination(RetentionSweep.Seconds, TimeUnit.SECONDS)
    ()
  }

  private def sweep(): Unit =
    try
      namespace.all.foreach { hub =>
        namespace.applyRetention(hub)
        compact(hub)
      }
    // The timer stops a task that throws, also after an OutOfMemoryError.
    catch { case failure: Throwable => log.error("Retention could not be applied; trying again", failure) }
}

private object RetentionSweep {
  val Seconds = 5L
}
