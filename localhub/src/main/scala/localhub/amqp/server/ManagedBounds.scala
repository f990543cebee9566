package localhub.amqp.server

import java.time.{Clock, Duration}
import java.util.WeakHashMap

import localhub.log.{LogBounds, PartitionLog}

/** The bounds of partitions as `\$management` reports them: they may be old. Thread-safe. */
private[amqp] final class ManagedBounds(maxAge: Duration, clock: Clock) {
  private val known = new WeakHashMap[PartitionLog, (Long, LogBounds)]

  def of(log: PartitionLog): LogBounds = if (maxAge.isZero) log.bounds else cached(log)

  private def cached(log: PartitionLog): LogBounds = synchronized {
    val now = clock.millis()
    Option(known.get(log)).filter { case (asOf, _) => now - asOf < maxAge.toMillis }.map(_._2).getOrElse {
      val bounds = log.bounds
      known.put(log, (now, bounds))
      bounds
    }
  }
}
