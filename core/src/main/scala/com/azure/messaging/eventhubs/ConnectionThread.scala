package com.azure.messaging.eventhubs

import java.util.concurrent.{
  CompletableFuture,
  ExecutionException,
  Executor,
  LinkedBlockingQueue,
  ThreadPoolExecutor,
  TimeUnit,
  TimeoutException
}

/**
 * The one thread that calls the SDK for a connection. Nobody interrupts it. It ends after a second without work and
 * starts again when there is more, so a connection that is not used keeps no thread.
 */
private final class ConnectionThread extends Executor {

  import ConnectionThread._

  @volatile private var current: Thread = _

  private val pool = new ThreadPoolExecutor(
    1,
    1,
    IdleSeconds,
    TimeUnit.SECONDS,
    new LinkedBlockingQueue[Runnable],
    { (work: Runnable) =>
      val thread = new Thread(work, Name)
      thread.setDaemon(true)
      current = thread
      thread
    }
  )
  pool.allowCoreThreadTimeOut(true)

  override def execute(work: Runnable): Unit = pool.execute(work)

  /**
   * Runs `work` and waits until it is done. Work that this thread does not finish in [[MaxWaitNanos]], because another
   * call blocks it, runs on a thread of its own, so it must be safe to repeat. An interrupted caller waits too: other
   * threads rely on the work once the call has returned.
   */
  def executeAndWait(work: Runnable): Unit =
    if (Thread.currentThread eq current) work.run()
    else {
      val done = CompletableFuture.runAsync(work, this)
      val deadline = System.nanoTime() + MaxWaitNanos
      try uninterrupted { done.get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS); () }
      catch {
        case _: TimeoutException => runApart(work)
        case failed: ExecutionException => throw failed.getCause
      }
    }
}

private object ConnectionThread {
  val Name = "eventhubs-sdk-caller"
  private val IdleSeconds = 1L
  private val MaxWaitNanos = TimeUnit.SECONDS.toNanos(5)

  private def runApart(work: Runnable): Unit = {
    val thread = new Thread(work, Name)
    thread.setDaemon(true)
    thread.start()
    uninterrupted(thread.join())
  }

  /** Repeats a wait that an interrupt ends. The thread stays interrupted. */
  private def uninterrupted(wait: => Unit): Unit = {
    var (isInterrupted, isWaiting) = (false, true)
    while (isWaiting)
      try {
        wait
        isWaiting = false
      } catch {
        case _: InterruptedException => isInterrupted = true
        case failed: Throwable =>
          if (isInterrupted) Thread.currentThread.interrupt()
          throw failed
      }
    if (isInterrupted) Thread.currentThread.interrupt()
  }
}
