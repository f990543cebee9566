package org.apache.spark.eventhubs.background

import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.{RejectedExecutionException, ScheduledThreadPoolExecutor, TimeUnit}

/** A few daemon threads, which start at their first use and end when they have been idle for a while. */
private[spark] final class BackgroundThreads extends Background with AutoCloseable {

  import BackgroundThreads._

  private val started = new AtomicInteger
  private lazy val executor = {
    val threads = new ScheduledThreadPoolExecutor(
      math.max(LeastThreads, Runtime.getRuntime.availableProcessors),
      { work =>
        val thread = new Thread(work, s"eventhubs-background-${started.incrementAndGet()}")
        thread.setDaemon(true)
        thread
      }
    )
    threads.setKeepAliveTime(IdleSeconds, TimeUnit.SECONDS)
    threads.allowCoreThreadTimeOut(true)
    threads
  }

  override def run(work: () => Unit): Unit = unlessClosed(executor.execute(() => work()))

  override def runAfter(nanos: Long)(work: () => Unit): Unit = unlessClosed {
    executor.schedule((() => work()): Runnable, nanos, TimeUnit.NANOSECONDS)
    ()
  }

  override def close(): Unit = {
    executor.shutdownNow()
    ()
  }

  /** Nothing waits for work that is not run: the JVM ends. */
  private def unlessClosed(submit: => Unit): Unit =
    try submit
    catch { case _: RejectedExecutionException => () }
}

private object BackgroundThreads {

  /** To abort a connection takes a moment, and other tasks go on meanwhile. */
  private val LeastThreads = 2
  private val IdleSeconds = 30L
}
