package benchmarks.harness

/** The memory that the hub needs for events. */
object HubHeap {

  private val Least = 5L
  private val Gigabyte = 1L << 30

  /** What the hub stores of an event besides its body, at most. */
  private val BytesAround = 60L

  /** For the largest of the workloads, which are stored one after the other. */
  def gigabytes(workloads: Seq[Workload]): Int = {
    val bytes = workloads.map(workload => workload.events * (workload.bodyBytes + BytesAround))
    // The collector needs some room of its own.
    (bytes.maxOption.getOrElse(0L) * 5 / 4 / Gigabyte + 1).max(Least).toInt
  }
}
