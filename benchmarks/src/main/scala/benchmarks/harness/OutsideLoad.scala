package benchmarks.harness

import java.nio.file.{Files, Path}

import benchmarks.server.ProcessCpu

/**
 * What programs outside of the benchmark use of the machine, from now on.
 *
 * @param own the processes that are no outsiders; they must not end before [[cores]] is asked
 */
final class OutsideLoad(own: Seq[ProcessHandle]) {

  private val begin = System.nanoTime()
  private val before = OutsideLoad.busySeconds() - ownSeconds

  /** Cores that they have used on average. */
  def cores: Double = {
    val used = OutsideLoad.busySeconds() - ownSeconds - before
    math.max(0, used / ((System.nanoTime() - begin) / 1e9))
  }

  private def ownSeconds: Double = own.map(ProcessCpu.seconds).sum
}

private object OutsideLoad {

  /** USER_HZ, the unit of /proc/stat; 100 on every Linux that Spark runs on. */
  private val TicksPerSecond = 100.0

  /** CPU time that the whole machine has used since it started. */
  def busySeconds(): Double = {
    // user nice system idle iowait irq softirq steal
    val ticks = Files.readAllLines(Path.of("/proc/stat")).get(0).split("\\s+").drop(1).map(_.toLong)
    (ticks.take(8).sum - ticks(3) - ticks(4)) / TicksPerSecond
  }
}
