package benchmarks.harness

import java.nio.file.{Files, Path}

/** CPU time that the whole machine has used since it started, so that a pass can say what others used of it. */
object MachineCpu {

  /** USER_HZ, the unit of /proc/stat; 100 on every Linux that Spark runs on. */
  private val TicksPerSecond = 100.0

  def busySeconds(): Double = {
    // user nice system idle iowait irq softirq steal
    val ticks = Files.readAllLines(Path.of("/proc/stat")).get(0).split("\\s+").drop(1).map(_.toLong)
    (ticks.take(8).sum - ticks(3) - ticks(4)) / TicksPerSecond
  }
}
