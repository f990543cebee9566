package localhub.log

import java.util.concurrent.atomic.AtomicLong

import localhub.LocalHubException

/**
 * Limits the heap that all in-memory logs of a local hub use together. Without it, a forgotten producer would fill the
 * heap, and clients would see time-outs from garbage collection instead of a clear error.
 */
private[localhub] final class MemoryBudget(limit: Long) {
  private val used = new AtomicLong

  /** @throws LogFullException when less than `bytes` is left; nothing is reserved then */
  def reserve(bytes: Long): Unit =
    if (used.addAndGet(bytes) > limit) {
      used.addAndGet(-bytes)
      throw new LogFullException(limit)
    }

  def release(bytes: Long): Unit = {
    used.addAndGet(-bytes)
    ()
  }
}

private[localhub] object MemoryBudget {

  /** 70 % of the heap. The rest is for connections, for unfilled last chunks, and for other code in this JVM. */
  def ofThisHeap(): MemoryBudget = new MemoryBudget(Runtime.getRuntime.maxMemory / 10 * 7)

  /** Heap bytes: the payload, and per event its end, its time, and spare array capacity. */
  def cost(events: Long, payloadBytes: Long): Long = events * 24 + payloadBytes
}

/** The heap has no room for more events. Nothing was stored. */
final class LogFullException private (what: String, cause: Throwable)
    extends LocalHubException(
      s"The local hub's memory is full: $what. " +
        "Start it with a data directory, with a retention, or with a larger heap (-Xmx).",
      cause
    ) {
  def this(limit: Long) = this(s"its events may take ${limit >> 20} MB", None.orNull)

  /** The JVM itself ran out of heap. */
  def this(cause: OutOfMemoryError) = this("its heap has no room for more", cause)
}
