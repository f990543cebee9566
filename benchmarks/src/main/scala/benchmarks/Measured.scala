package benchmarks

import java.lang.management.ManagementFactory

import com.sun.management.OperatingSystemMXBean

/** One measured pass. */
final case class Measured(seconds: Double, clientCpuSeconds: Double, hubCpuSeconds: Double, events: Long) {
  def eventsPerSecond: Double = events / seconds
  def cpuMicrosPerEvent: Double = clientCpuSeconds * 1e6 / events
  def hubCpuMicrosPerEvent: Double = hubCpuSeconds * 1e6 / events
}

object Measured {

  private val system = ManagementFactory.getOperatingSystemMXBean match {
    case bean: OperatingSystemMXBean => bean
    case other => throw new IllegalStateException(s"this JVM does not tell its CPU time: $other")
  }

  /** Runs `pass`, which says how many events it handled. */
  def apply(hub: HubProcess)(pass: => Long): Measured = {
    val (wall, cpu, hubCpu) = (System.nanoTime(), system.getProcessCpuTime, hub.cpuNanos)
    val events = pass
    Measured(
      (System.nanoTime() - wall) / 1e9,
      (system.getProcessCpuTime - cpu) / 1e9,
      (hub.cpuNanos - hubCpu) / 1e9,
      events
    )
  }
}
