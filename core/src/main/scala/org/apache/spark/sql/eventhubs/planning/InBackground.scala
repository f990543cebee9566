package org.apache.spark.sql.eventhubs.planning

import java.util.concurrent.{Callable, ExecutionException, ExecutorService, Future, TimeUnit, TimeoutException}

import scala.util.{Failure, Success, Try}

import org.apache.spark.eventhubs.EventHubsException
import org.apache.spark.eventhubs.connection.AbandonedQuestionException
import org.apache.spark.eventhubs.executor.{ExecutorResources, QuestionThreads}
import org.apache.spark.util.Utils

/** A call that runs in another thread, with its caller's class loader, while the caller does something else. */
private[eventhubs] final class InBackground[A] private (call: Callable[A], threads: ExecutorService) {

  private val classes = Thread.currentThread.getContextClassLoader

  @volatile private var begun = false
  @volatile private var failed = false

  private val running: Future[A] = threads.submit { () =>
    begun = true
    try Utils.withContextClassLoader(classes)(call.call())
    catch {
      case failure: Throwable =>
        failed = true
        throw failure
    }
  }

  /** Whether the call has ended with a failure. */
  def hasFailed: Boolean = failed

  /** Whether the call has begun. */
  def hasBegun: Boolean = begun

  /** None before the call has ended. */
  def result: Option[Try[A]] = Option.when(running.isDone)(Try(await()))

  /** None when the call has not ended after these milliseconds. */
  def resultWithin(millis: Long): Option[Try[A]] =
    try Some(Success(running.get(millis, TimeUnit.MILLISECONDS)))
    catch {
      case failure: ExecutionException => Some(Failure(failure.getCause))
      case _: TimeoutException => None
    }

  /** Waits for the result of the call, or throws its failure. */
  def await(): A =
    try running.get()
    catch { case failure: ExecutionException => throw failure.getCause }

  /** Does other work. If that fails, this call may be the cause, so its failure is thrown before that of the work. */
  def failsFirst[B](work: => B): B =
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

  def apply[A](call: => A): InBackground[A] = new InBackground(() => call, threads.urgent)

  /** A call that is not urgent. Only some of these run at a time. */
  def limited[A](call: => A): InBackground[A] = new InBackground(() => call, threads.limited)

  private def threads: QuestionThreads = ExecutorResources.get.questionThreads
}
