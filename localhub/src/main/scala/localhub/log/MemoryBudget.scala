package localhub.log

import java.util.concurrent.atomic.AtomicLong

import localhub.LocalHubException

/**
 * What the logs of one hub may hold on the heap together. Without it, a forgotten producer would end in a process that is busy
 * with nothing but garbage collection, and in time-outs that do not say why.
 */
private[localhub] final class MemoryBudget(limit: Long) {
  private val used = new AtomicLong

  /** @throws LogFullException when it is more than what is left; nothing is taken then */
  def take(bytes: Long): Unit =
    if (used.addAndGet(bytes) > limit) {
      used.addAndGet(-bytes)
      throw new LogFullException(limit)
    }

  def giveBack(bytes: Long): Unit = {
    used.addAndGet(-bytes)
    ()
  }
}

private[localhub] object MemoryBudget {

  /** Leaves room for connections, for what a partition's last chunk has not filled, and for whatever else runs in this JVM. */
  def ofThisHeap(): MemoryBudget = new MemoryBudget(Runtime.getRuntime.maxMemory / 10 * 7)

  /** On the heap an event is more than its payload: where it ends, when it was stored, and room for more of those. */
  def cost(events: Long, payloadBytes: Long): Long = events * 24 + payloadBytes
}

/** Nothing was stored: the heap has no room for more events. */
final class LogFullException private (what: String, cause: Throwable)
    extends LocalHubException(
      s"The local hub's memory is full: $what. " +
        "Start it with a data directory, with a retention, or with a larger heap (-Xmx).",
      cause
    ) {
  def this(limit: Long) = this(s"its events may take ${limit >> 20} MB", None.orNull)

  /** The heap itself had no room, whatever the events were to take. */
  def this(cause: OutOfMemoryError) = this(s"$cause", cause)
}
