package localhub.amqp.server

import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.{ConcurrentLinkedQueue, Executor, LinkedBlockingQueue, ThreadPoolExecutor, TimeUnit}

/**
 * Threads for appends that wait for a disk; idle threads end. Several threads, because a log syncs concurrent appends
 * together.
 */
private[amqp] final class AppendExecutor extends AutoCloseable {
  import AppendExecutor._

  private val started = new AtomicInteger
  private val pool = new ThreadPoolExecutor(
    Threads,
    Threads,
    10,
    TimeUnit.SECONDS,
    new LinkedBlockingQueue[Runnable],
    (task: Runnable) => {
      val thread = new Thread(task, s"localhub-append-${started.incrementAndGet()}")
      thread.setDaemon(true)
      thread
    }
  )
  pool.allowCoreThreadTimeOut(true)

  /** An executor that runs its tasks one at a time, in the order of submission. */
  def newSerialExecutor(): Executor = new SerialExecutor(pool)

  /** Running tasks finish: an interrupted write would close its file. */
  override def close(): Unit = pool.shutdown()
}

private object AppendExecutor {
  val Threads = 16

  final class SerialExecutor(executor: Executor) extends Executor {
    private val tasks = new ConcurrentLinkedQueue[Runnable]
    private val left = new AtomicInteger

    override def execute(task: Runnable): Unit = {
      tasks.add(task)
      if (left.getAndIncrement() == 0) executor.execute(() => runNext())
    }

    // One task per submission, so that all links share the threads fairly.
    private def runNext(): Unit =
      try Option(tasks.poll()).foreach(_.run())
      finally if (left.decrementAndGet() > 0) executor.execute(() => runNext())
  }
}
