package benchmarks.harness

import java.nio.file.{Files, Path}

import benchmarks.server.ProcessCpu

/**
 * CPU use of other programs on the machine, measured from the construction of this object.
 *
 * @param own the processes of the benchmark; they must not end before [[cores]] is called
 */
final class OtherLoad(own: Seq[ProcessHandle]) {

  private val begin = System.nanoTime()
  private val before = OtherLoad.busySeconds() - ownSeconds

  /** Average number of cores that other programs have used. */
  def cores: Double = {
    val used = OtherLoad.busySeconds() - ownSeconds - before
    math.max(0, used / ((System.nanoTime() - begin) / 1e9))
  }

  private def ownSeconds: Double = own.map(ProcessCpu.seconds).sum
}

private object OtherLoad {

  /** USER_HZ, the unit of /proc/stat; 100 on every Linux that Spark runs on. */
  private val TicksPerSecond = 100.0

  /** CPU time of the whole machine since it started. */
  def busySeconds(): Double = {
    // user nice system idle iowait irq softirq steal
    val ticks = Files.readAllLines(Path.of("/proc/stat")).get(0).split("\\s+").drop(1).map(_.toLong)
    (ticks.take(8).sum - ticks(3) - ticks(4)) / TicksPerSecond
  }
}
