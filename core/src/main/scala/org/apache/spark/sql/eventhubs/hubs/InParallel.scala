package org.apache.spark.sql.eventhubs.hubs

import java.util.concurrent.{Callable, ExecutionException, ExecutorService}

import scala.jdk.CollectionConverters._

import org.apache.spark.util.ThreadUtils

/** Asks several hubs at the same time, so that a trigger takes as long as the slowest answer and not as their sum. */
private[hubs] object InParallel {

  private val MaxThreads = 16
  private lazy val threads: ExecutorService = ThreadUtils.newDaemonCachedThreadPool("eventhubs-planning", MaxThreads)

  /**
   * The results in the order of `values`. Waits for all of them, then throws the first failure. A single value needs no
   * other thread. When the caller is interrupted, so are the others.
   */
  def map[A, B](values: Seq[A])(work: A => B): Seq[B] =
    if (values.size <= 1) values.map(work)
    else {
      val tasks = values.map { value =>
        new Callable[B] { override def call(): B = work(value) }
      }
      threads.invokeAll(tasks.asJava).asScala.toSeq.map { done =>
        try done.get()
        catch { case failed: ExecutionException => throw failed.getCause }
      }
    }
}
