package localhub.amqp.server

import java.time.Clock
import java.util.Locale
import java.util.concurrent.ConcurrentHashMap

/**
 * Send limits per hub. A throughput unit is 1 MB or 1,000 events a second, whichever is reached first. A hub without a
 * setting has no limit. Thread-safe.
 */
final class ThroughputUnits private[amqp] (clock: Clock) {
  import ThroughputUnits._

  private val hubs = new ConcurrentHashMap[String, TokenBucket]

  def set(hub: String, units: Int): Unit = {
    require(units > 0, s"throughput units are $units; expected 1 or more.")
    hubs.put(key(hub), new TokenBucket(units, clock.millis()))
    ()
  }

  /** Removes the limit. */
  def clear(hub: String): Unit = { hubs.remove(key(hub)); () }

  def of(hub: String): Option[Int] = Option(hubs.get(key(hub))).map(_.units)

  /** Whether the hub accepts this delivery now; otherwise the sender should retry after four seconds. */
  private[amqp] def admit(hub: String, events: Int, bytes: Int): Boolean =
    hubs.isEmpty || Option(hubs.get(key(hub))).forall(_.take(events, bytes, clock.millis()))

  private def key(hub: String): String = hub.toLowerCase(Locale.ROOT)
}

private object ThroughputUnits {
  val EventsPerSecond = 1000.0
  val BytesPerSecond: Double = 1024.0 * 1024.0

  /** A delivery is admitted while any token is left; tokens can become negative, and the next seconds pay them back. */
  final class TokenBucket(val units: Int, createdMillis: Long) {
    private var events = units * EventsPerSecond
    private var bytes = units * BytesPerSecond
    private var asOf = createdMillis

    def take(eventCount: Int, byteCount: Int, nowMillis: Long): Boolean = synchronized {
      val seconds = math.max(0L, nowMillis - asOf) / 1000.0
      asOf = nowMillis
      events = math.min(units * EventsPerSecond, events + seconds * units * EventsPerSecond)
      bytes = math.min(units * BytesPerSecond, bytes + seconds * units * BytesPerSecond)
      val admitted = events > 0 && bytes > 0
      if (admitted) {
        events -= eventCount
        bytes -= byteCount
      }
      admitted
    }
  }
}
