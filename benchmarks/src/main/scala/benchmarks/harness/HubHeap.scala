package benchmarks.harness

/** The memory that the hub needs for events. */
object HubHeap {

  private val Least = 5L
  private val Gigabyte = 1L << 30

  /** What the hub counts of an event besides its body, at most. HubHeapSuite compares it with a hub. */
  private[harness] val BytesAround = 200L

  /** For the largest of the workloads, which are stored one after the other. */
  def gigabytes(workloads: Seq[Workload]): Int = {
    val bytes = workloads.map(workload => workload.events * (workload.bodyBytes + BytesAround))
    // The hub gives 70 % of its heap to events.
    (bytes.maxOption.getOrElse(0L) * 10 / 7 / Gigabyte + 1).max(Least).toInt
  }
}
