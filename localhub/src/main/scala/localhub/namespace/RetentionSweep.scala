package localhub.namespace

import java.util.concurrent.{Executors, TimeUnit}

import org.slf4j.LoggerFactory

/** Applies retention every few seconds on its own thread, until closed. */
private[localhub] final class RetentionSweep(namespace: Namespace) extends AutoCloseable {
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
    // The timer stops a task that throws, also after an OutOfMemoryError.
    catch { case failure: Throwable => log.error("Retention could not be applied; trying again", failure) }
}

private object RetentionSweep {
  val Seconds = 5L
}
