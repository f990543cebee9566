package localhub.amqp

import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.{ConcurrentLinkedQueue, Executor, LinkedBlockingQueue, ThreadPoolExecutor, TimeUnit}

/**
 * Threads for appends that wait for a disk; none as long as there are no such appends. Several, because a log puts the
 * appends that wait at the same time into one write.
 */
private[amqp] final class AppendThreads extends AutoCloseable {
  import AppendThreads._

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

  /** Runs its tasks one after the other, in the order in which they came. */
  def newSequence(): Executor = new Sequence(pool)

  /** Lets what has begun come to its end: an interrupted write would close its file. */
  override def close(): Unit = pool.shutdown()
}

private object AppendThreads {
  val Threads = 16

  final class Sequence(executor: Executor) extends Executor {
    private val tasks = new ConcurrentLinkedQueue[Runnable]
    private val left = new AtomicInteger

    override def execute(task: Runnable): Unit = {
      tasks.add(task)
      if (left.getAndIncrement() == 0) executor.execute(() => runNext())
    }

    // One at a time, so that the sequences of all links share the threads fairly.
    private def runNext(): Unit =
      try Option(tasks.poll()).foreach(_.run())
      finally if (left.decrementAndGet() > 0) executor.execute(() => runNext())
  }
}
