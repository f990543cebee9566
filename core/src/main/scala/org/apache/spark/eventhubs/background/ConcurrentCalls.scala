package org.apache.spark.eventhubs.background

import java.util.concurrent.{Callable, ExecutionException, Executors}

import scala.jdk.CollectionConverters._
import scala.util.{Failure, Success, Try}

/** Calls that each wait for an answer. A few wait at the same time, which hides most of the round trips. */
private[spark] object ConcurrentCalls {

  /** How many wait at a time. */
  val AtATime: Int = 8

  /**
   * Calls all, and waits for all.
   *
   * @param name of the threads
   * @return what the calls gave or threw, in the order of `items`
   * @throws java.lang.InterruptedException when the caller is interrupted; the calls that wait are interrupted too
   */
  def apply[A, B](name: String, items: Seq[A])(call: A => B): Seq[Try[B]] =
    if (items.isEmpty) Nil
    else {
      val threads = Executors.newFixedThreadPool(
        math.min(AtATime, items.size),
        { (work: Runnable) =>
          val thread = new Thread(work, name)
          thread.setDaemon(true)
          thread
        }
      )
      try threads.invokeAll(items.map(item => (() => call(item)): Callable[B]).asJava).asScala.map(result).toList
      finally {
        threads.shutdownNow()
        ()
      }
    }

  private def result[B](ended: java.util.concurrent.Future[B]): Try[B] =
    try Success(ended.get())
    catch { case failed: ExecutionException => Failure(failed.getCause) }
}
