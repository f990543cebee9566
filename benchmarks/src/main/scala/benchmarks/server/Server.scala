package benchmarks.server

/** The hub or the broker: a process of its own, so that its CPU time is not counted as the client's. */
trait Server extends AutoCloseable {

  /** What clients connect to. */
  def address: String

  def create(hub: String, partitions: Int): Unit

  def delete(hub: String): Unit

  /** Removes all events; the numbering goes on. */
  def empty(hub: String): Unit

  /** Events ever stored in each partition. */
  def stored(hub: String): Seq[Long]

  def process: ProcessHandle

  /** CPU time that it has used so far. */
  final def cpuSeconds: Double = ProcessCpu.seconds(process)
}

private[benchmarks] object ProcessCpu {
  def seconds(process: ProcessHandle): Double =
    process.info.totalCpuDuration.map[Double](_.toNanos / 1e9).orElseThrow(() =>
      new IllegalStateException(s"the process ${process.pid} has ended, or its CPU time cannot be read here")
    )
}
