package benchmarks.worker

import java.lang.management.ManagementFactory
import java.nio.file.{Files, Path}
import java.util.concurrent.{Executors, TimeUnit}

import scala.jdk.CollectionConverters._

import benchmarks.harness.Used
import com.sun.management.{OperatingSystemMXBean, ThreadMXBean}

/** What this JVM uses while it does something: time, CPU, memory. */
final class Meter extends AutoCloseable {

  private val system = Meter.bean[OperatingSystemMXBean](ManagementFactory.getOperatingSystemMXBean)
  private val jit = ManagementFactory.getCompilationMXBean
  private val allocation = new Allocation(Meter.bean[ThreadMXBean](ManagementFactory.getThreadMXBean))

  /** Runs `work`, which says how many events it handled and how long its micro-batches took. */
  def measure(work: => Done): Used = {
    PeakRss.reset()
    val (wall, cpu, allocated) = (System.nanoTime(), system.getProcessCpuTime, allocation.bytes())
    val compiling = jit.getTotalCompilationTime
    val done = work
    val seconds = done.seconds.getOrElse((System.nanoTime() - wall) / 1e9)
    Used(
      done.events,
      seconds,
      (system.getProcessCpuTime - cpu) / 1e9,
      allocation.bytes() - allocated,
      PeakRss.bytes(),
      done.triggers,
      (jit.getTotalCompilationTime - compiling) / 1e3,
      done.going,
      done.lastBatchMillis
    )
  }

  override def close(): Unit = allocation.close()
}

/**
 * Outcome of one task.
 *
 * @param triggers see [[benchmarks.harness.Used]]
 * @param seconds  when not all of the time counts
 * @param going    see [[benchmarks.harness.Used]]
 * @param lastBatchMillis see [[benchmarks.harness.Used]]
 */
final case class Done(
    events: Long,
    triggers: Seq[Map[String, Long]] = Nil,
    seconds: Option[Double] = None,
    going: Option[(Long, Double)] = None,
    lastBatchMillis: Option[Long] = None
)

private object Meter {
  def bean[A](bean: AnyRef)(implicit wanted: reflect.ClassTag[A]): A = bean match {
    case found: A => found
    case other =>
      throw new IllegalStateException(s"this JVM is not HotSpot: it has no ${wanted.runtimeClass}, but $other")
  }
}

/**
 * Bytes that all threads have allocated. The JVM forgets those of threads that have ended, so they are noted ten times a
 * second: what a thread allocates in its last tenth of a second is missed.
 */
private final class Allocation(threads: ThreadMXBean) extends AutoCloseable {

  private val byThread = scala.collection.mutable.Map.empty[Long, Long]
  private val sampler = Executors.newSingleThreadScheduledExecutor { task =>
    val thread = new Thread(task, "allocation")
    thread.setDaemon(true)
    thread
  }
  sampler.scheduleAtFixedRate(() => note(), 0, 100, TimeUnit.MILLISECONDS)

  def bytes(): Long = synchronized {
    note()
    byThread.values.sum
  }

  override def close(): Unit = {
    sampler.shutdownNow()
    ()
  }

  private def note(): Unit = synchronized {
    val ids = threads.getAllThreadIds
    ids.zip(threads.getThreadAllocatedBytes(ids)).foreach { case (id, bytes) => if (bytes > 0) byThread(id) = bytes }
  }
}

/** The most memory that this process has held, as Linux counts it. */
private object PeakRss {

  private val Status = Path.of("/proc/self/status")

  /** Makes the peak what it is now. */
  def reset(): Unit = {
    Files.writeString(Path.of("/proc/self/clear_refs"), "5")
    ()
  }

  def bytes(): Long = Files.readAllLines(Status).asScala.collectFirst {
    case line if line.startsWith("VmHWM:") => line.split("\\s+")(1).toLong * 1024
  }.getOrElse(throw new IllegalStateException(s"$Status has no VmHWM"))
}
