package localhub.amqp.io

import java.nio.channels.{SelectionKey, Selector}
import java.time.Duration
import java.util.PriorityQueue
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.atomic.AtomicBoolean

import org.slf4j.LoggerFactory

import localhub.amqp.connection.LoopResources

/** One I/O thread. It waits for sockets and for tasks of other threads, and blocks on nothing else. */
private[amqp] final class IoLoop(name: String) extends AutoCloseable {
  import IoLoop._

  val selector: Selector = Selector.open()
  val resources = new LoopResources
  private val tasks = new ConcurrentLinkedQueue[Runnable]
  private val timers = new PriorityQueue[Timer]
  private val wakeUpSent = new AtomicBoolean(false)
  @volatile private var closing = false
  private var nextTick = System.nanoTime + TickNanos

  private val thread = new Thread(() => run(), name)
  thread.setDaemon(true)

  def start(): Unit = thread.start()

  /** Runs `task` soon on the loop's thread. Call from any thread. */
  def execute(task: Runnable): Unit = {
    tasks.add(task)
    if ((Thread.currentThread ne thread) && wakeUpSent.compareAndSet(false, true)) { selector.wakeup(); () }
  }

  /** Runs `task` on the loop's thread after `delay`. Call from any thread. */
  def executeLater(delay: Duration, task: Runnable): Unit = {
    val due = System.nanoTime + delay.toNanos
    execute { () => timers.add(new Timer(due, task)); () }
  }

  /** Ends the thread and closes its connections. */
  override def close(): Unit = {
    closing = true
    selector.wakeup()
    thread.join()
  }

  private def run(): Unit = {
    while (!closing) guarded(runOnce())
    attachments.foreach(attachment => guarded(attachment.close()))
    selector.close()
  }

  private def runOnce(): Unit = {
    val wake = Option(timers.peek).fold(nextTick)(timer => earlier(timer.due, nextTick))
    val wait = math.max(1L, (wake - System.nanoTime) / 1000000L)
    if (tasks.isEmpty) selector.select(key => selected(key), wait) else selector.selectNow(key => selected(key))
    wakeUpSent.set(false)
    runTasks()
    runTimers()
    if (System.nanoTime - nextTick >= 0) tick()
  }

  private def selected(key: SelectionKey): Unit = key.attachment match {
    case attachment: ChannelHandler if key.isValid => guarded(attachment.onReady(key))
    case _ => ()
  }

  // Only the tasks of now: a task that queues another one must not delay the sockets.
  private def runTasks(): Unit = {
    var left = tasks.size
    while (left > 0) {
      Option(tasks.poll()).foreach(task => guarded(task.run()))
      left -= 1
    }
  }

  private def runTimers(): Unit =
    while (Option(timers.peek).exists(_.due - System.nanoTime <= 0)) guarded(timers.poll().task.run())

  private def tick(): Unit = {
    val now = System.nanoTime
    nextTick = now + TickNanos
    attachments.foreach(attachment => guarded(attachment.onTick(now)))
  }

  private def attachments: Seq[ChannelHandler] = {
    val found = Seq.newBuilder[ChannelHandler]
    selector.keys.forEach(key =>
      key.attachment match {
        case attachment: ChannelHandler => found += attachment
        case _ => ()
      }
    )
    found.result()
  }

  // A failure of one connection, also an OutOfMemoryError, must not end the thread for the others.
  private def guarded(action: => Unit): Unit =
    try action
    catch {
      case e: Throwable =>
        try IoLoop.log.error("An I/O task failed; the thread continues.", e)
        // There may be no memory for the log message.
        catch { case _: Throwable => () }
    }
}

private object IoLoop {

  /** @param due as System.nanoTime counts */
  final class Timer(val due: Long, val task: Runnable) extends Comparable[Timer] {
    override def compareTo(other: Timer): Int = java.lang.Long.signum(due - other.due)
  }

  def earlier(a: Long, b: Long): Long = if (a - b < 0) a else b

  private val log = LoggerFactory.getLogger(classOf[IoLoop])
  private val TickNanos = 100L * 1000 * 1000
}
