package org.apache.spark.eventhubs.background

import java.util.concurrent.{ExecutionException, ExecutorService, Executors, FutureTask, TimeUnit}

import scala.util.{Failure, Success, Try}

/** Calls that each wait for an answer. A few wait at the same time, which hides most of the round trips. */
private[spark] object ConcurrentCalls {

  /** How many wait at a time. */
  val AtATime: Int = 8

  /** For the answers that are on their way when the caller is interrupted. */
  private val AfterInterruptMillis = 500L

  /**
   * What all calls give, in the order of `items`.
   *
   * @param name of the threads
   * @throws java.lang.Throwable the first failure in this order, when all calls have ended
   */
  def all[A, B](name: String, items: Seq[A])(call: A => B): Seq[B] = {
    val ended = Seq.newBuilder[Try[B]]
    each(name, items)(call)((_, result) => { ended += result; () })
    ended.result().map(_.get)
  }

  /**
   * Calls all, and waits for all.
   *
   * @param name  of the threads
   * @param onEnd gets what each call gave or threw, in the order of `items`, in the calling thread. After an interrupt
   *              it gets those of the calls that have ended. It must not throw
   * @throws java.lang.InterruptedException when the caller is interrupted; the calls that wait are interrupted too
   */
  def each[A, B](name: String, items: Seq[A])(call: A => B)(onEnd: (A, Try[B]) => Unit): Unit = if (items.nonEmpty) {
    val calls = items.map(item => item -> new FutureTask[B](() => call(item)))
    val threads = threadsFor(name, items.size)
    try {
      calls.foreach { case (_, running) => threads.execute(running) }
      calls.foreach { case (_, running) => result(running) }
    } catch {
      case stopped: InterruptedException =>
        threads.shutdownNow()
        threads.awaitTermination(AfterInterruptMillis, TimeUnit.MILLISECONDS)
        throw stopped
    } finally {
      threads.shutdownNow()
      calls.foreach { case (item, running) => if (running.isDone) onEnd(item, result(running)) }
    }
  }

  /** Waits for it. */
  private def result[B](running: FutureTask[B]): Try[B] =
    try Success(running.get())
    catch { case failed: ExecutionException => Failure(failed.getCause) }

  private def threadsFor(name: String, calls: Int): ExecutorService = Executors.newFixedThreadPool(
    math.min(AtATime, calls),
    { (work: Runnable) =>
      val thread = new Thread(work, name)
      thread.setDaemon(true)
      thread
    }
  )
}
