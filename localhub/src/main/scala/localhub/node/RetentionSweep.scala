package localhub.node

import java.util.concurrent.{Executors, TimeUnit}

import org.slf4j.LoggerFactory

/** Applies retention every few seconds until closed, on a thread of its own. */
final class RetentionSweep(namespace: Namespace) extends AutoCloseable {
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
    try namespace.all.foreach(namespace.applyRetention)
    // A timer never runs a task again that has thrown, be it for want of memory.
    catch { case failure: Throwable => log.error("Retention could not be applied; it is tried again", failure) }
}

private object RetentionSweep {
  val Seconds = 5L
}
