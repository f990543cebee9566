package org.apache.spark.sql.eventhubs.planning

import java.util.concurrent.{Callable, ExecutionException, ExecutorService, Future}

import org.apache.spark.eventhubs.EventHubsException
import org.apache.spark.eventhubs.connection.AbandonedQuestionException
import org.apache.spark.util.ThreadUtils

/** A call that runs in another thread while its caller does something else. */
private[eventhubs] final class InBackground private (call: Callable[Unit]) {

  @volatile private var failed = false

  private val running: Future[Unit] = InBackground.threads.submit { () =>
    try call.call()
    catch {
      case failure: Throwable =>
        failed = true
        throw failure
    }
  }

  /** Whether the call has ended with a failure. */
  def hasFailed: Boolean = failed

  /** Waits for the end of the call, and throws its failure. */
  def await(): Unit =
    try running.get()
    catch { case failure: ExecutionException => throw failure.getCause }

  /** Does other work. If that fails, this call may be the cause, so its failure is thrown before that of the work. */
  def failsFirst[A](work: => A): A =
    try work
    catch {
      case failed @ (_: AbandonedQuestionException | _: EventHubsException) =>
        await()
        throw failed
    }

  /** Interrupts a call that has not ended. */
  def cancel(): Unit = {
    running.cancel(true)
    ()
  }
}

private[eventhubs] object InBackground {

  def apply(call: => Unit): InBackground = new InBackground(() => call)

  private lazy val threads: ExecutorService = ThreadUtils.newDaemonCachedThreadPool("eventhubs-readiness")
}
