package benchmarks.server

/** The hub or the broker, in a process of its own, so that its CPU time does not count as the client's. */
trait Server extends AutoCloseable {

  /** The address or connection string of a plain connection, for the harness. */
  def address: String

  /** The address for measured clients: behind a proxy in the profile `cloud`, otherwise the plain one. */
  def clientAddress: String

  /** The proxy of the profile `cloud`. */
  def proxy: Option[DelayProxyProcess]

  def create(hub: String, partitions: Int): Unit

  def delete(hub: String): Unit

  /** Removes all events. Sequence numbers continue. */
  def empty(hub: String): Unit

  /** Number of events ever stored in each partition. */
  def stored(hub: String): Seq[Long]

  def process: ProcessHandle

  final def processes: Seq[ProcessHandle] = process +: proxy.map(_.process).toSeq

  /** CPU time of the process so far. */
  final def cpuSeconds: Double = ProcessCpu.seconds(process)

  /** CPU time of the proxy so far. */
  final def proxyCpuSeconds: Double = proxy.fold(0.0)(proxy => ProcessCpu.seconds(proxy.process))
}

private[benchmarks] object ProcessCpu {
  def seconds(process: ProcessHandle): Double =
    process.info.totalCpuDuration.map[Double](_.toNanos / 1e9).orElseThrow(() =>
      new IllegalStateException(s"the process ${process.pid} has ended, or its CPU time is not available")
    )
}
