package benchmarks.worker

import java.lang.management.ManagementFactory
import java.nio.file.{Files, Path}
import java.util.concurrent.{Executors, TimeUnit}

import scala.jdk.CollectionConverters._

import benchmarks.harness.ResourceUsage
import com.sun.management.{OperatingSystemMXBean, ThreadMXBean}

/** Measures time, CPU and memory of this JVM during a task. */
final class Meter extends AutoCloseable {

  private val system = Meter.bean[OperatingSystemMXBean](ManagementFactory.getOperatingSystemMXBean)
  private val jit = ManagementFactory.getCompilationMXBean
  private val allocation = new Allocation(Meter.bean[ThreadMXBean](ManagementFactory.getThreadMXBean))

  /** Runs `work`, whose outcome has the number of events and the durations of its micro-batches. */
  def measure(work: => Outcome): ResourceUsage = {
    PeakRss.reset()
    val (wall, cpu, allocated) = (System.nanoTime(), system.getProcessCpuTime, allocation.bytes())
    val compiling = jit.getTotalCompilationTime
    val outcome = work
    val seconds = outcome.seconds.getOrElse((System.nanoTime() - wall) / 1e9)
    ResourceUsage(
      outcome.events,
      seconds,
      (system.getProcessCpuTime - cpu) / 1e9,
      allocation.bytes() - allocated,
      PeakRss.bytes(),
      outcome.triggers,
      (jit.getTotalCompilationTime - compiling) / 1e3,
      outcome.steady,
      outcome.lastBatchMillis
    )
  }

  override def close(): Unit = allocation.close()
}

/**
 * Outcome of one task.
 *
 * @param triggers see [[benchmarks.harness.ResourceUsage]]
 * @param seconds  the counted time, if that is not the whole time
 * @param steady    see [[benchmarks.harness.ResourceUsage]]
 * @param lastBatchMillis see [[benchmarks.harness.ResourceUsage]]
 */
final case class Outcome(
    events: Long,
    triggers: Seq[Map[String, Long]] = Nil,
    seconds: Option[Double] = None,
    steady: Option[(Long, Double)] = None,
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
 * Bytes that all threads have allocated. The JVM drops the figures of ended threads, so this class samples them ten
 * times a second. It misses the last tenth of a second of a thread.
 */
private final class Allocation(threads: ThreadMXBean) extends AutoCloseable {

  private val byThread = scala.collection.mutable.Map.empty[Long, Long]
  private val sampler = Executors.newSingleThreadScheduledExecutor { task =>
    val thread = new Thread(task, "allocation")
    thread.setDaemon(true)
    thread
  }
  sampler.scheduleAtFixedRate(() => sample(), 0, 100, TimeUnit.MILLISECONDS)

  def bytes(): Long = synchronized {
    sample()
    byThread.values.sum
  }

  override def close(): Unit = {
    sampler.shutdownNow()
    ()
  }

  private def sample(): Unit = synchronized {
    val ids = threads.getAllThreadIds
    ids.zip(threads.getThreadAllocatedBytes(ids)).foreach { case (id, bytes) => if (bytes > 0) byThread(id) = bytes }
  }
}

/** Peak resident memory of this process, as Linux counts it. */
private object PeakRss {

  private val Status = Path.of("/proc/self/status")

  /** Resets the peak to the current value. */
  def reset(): Unit = {
    Files.writeString(Path.of("/proc/self/clear_refs"), "5")
    ()
  }

  def bytes(): Long = Files.readAllLines(Status).asScala.collectFirst {
    case line if line.startsWith("VmHWM:") => line.split("\\s+")(1).toLong * 1024
  }.getOrElse(throw new IllegalStateException(s"$Status has no VmHWM"))
}
