package org.apache.spark.sql.eventhubs.hubs

import java.util.concurrent.Callable
import java.util.concurrent.atomic.{AtomicInteger, AtomicReferenceArray}

import scala.jdk.CollectionConverters._

import org.apache.spark.eventhubs.executor.ExecutorResources
import org.apache.spark.util.Utils

/** Asks several hubs at the same time, so that a trigger takes as long as the slowest answer and not as their sum. */
private[eventhubs] object InParallel {

  /** For each caller: hubs of one query that do not answer must not hold up another query. */
  private val MaxAtOnce = 16

  /**
   * The results in the order of `values`. Waits for all of them, then throws the first failure. A single value needs no
   * other thread. When the caller is interrupted, so are the others.
   */
  def map[A, B](values: Seq[A])(work: A => B): Seq[B] =
    if (values.size <= 1) values.map(work)
    else {
      val all = values.toIndexedSeq
      val results = new AtomicReferenceArray[Either[Throwable, B]](all.size)
      val next = new AtomicInteger
      val classes = Thread.currentThread.getContextClassLoader
      val worker = new Callable[Unit] {
        override def call(): Unit = Utils.withContextClassLoader(classes) {
          Iterator.continually(next.getAndIncrement()).takeWhile(_ < all.size).foreach { index =>
            val result =
              try Right(work(all(index)))
              catch { case failed: Throwable => Left(failed) }
            results.set(index, result)
          }
        }
      }
      try ExecutorResources.get.questionThreads.urgent.invokeAll(Seq.fill(math.min(
          MaxAtOnce,
          all.size
        ))(worker).asJava).asScala.foreach(_.get())
      catch {
        case stopped: InterruptedException =>
          next.set(all.size)
          throw stopped
      }
      all.indices.map(results.get(_).fold(failed => throw failed, identity))
    }
}
