package localhub.log

import java.time.{Clock, Instant, ZoneId, ZoneOffset}

/** A clock that only the test moves. */
final class ManualClock(@volatile var now: Long) extends Clock {
  override def getZone: ZoneId = ZoneOffset.UTC
  override def withZone(zone: ZoneId): Clock = this
  override def instant(): Instant = Instant.ofEpochMilli(now)
}
