package benchmarks.worker

import java.lang.management.ManagementFactory
import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._

import benchmarks.harness.ResourceUsage
import com.sun.management.{OperatingSystemMXBean, ThreadMXBean}

/** Measures time, CPU and memory of this JVM during a task. */
final class Meter extends AutoCloseable {

  private val system = Meter.bean[OperatingSystemMXBean](ManagementFactory.getOperatingSystemMXBean)
  private val jit = ManagementFactory.getCompilationMXBean
  private val threads = new ThreadUsage(Meter.bean[ThreadMXBean](ManagementFactory.getThreadMXBean))

  /** Runs `work`, whose outcome has the number of events and the durations of its micro-batches. */
  def measure(work: => Outcome): ResourceUsage = {
    PeakRss.reset()
    val (wall, cpu, before) = (System.nanoTime(), system.getProcessCpuTime, threads.sums())
    val compiling = jit.getTotalCompilationTime
    val outcome = work
    val seconds = outcome.seconds.getOrElse((System.nanoTime() - wall) / 1e9)
    val after = threads.sums()
    ResourceUsage(
      outcome.events,
      seconds,
      (system.getProcessCpuTime - cpu) / 1e9,
      after.allocatedBytes - before.allocatedBytes,
      PeakRss.bytes(),
      outcome.triggers,
      (jit.getTotalCompilationTime - compiling) / 1e3,
      outcome.steady,
      outcome.lastBatchMillis,
      after.cpuSeconds.map { case (group, seconds) => group -> (seconds - before.cpuSeconds.getOrElse(group, 0.0)) }
    )
  }

  override def close(): Unit = threads.close()
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
