package org.apache.spark.eventhubs.send

import java.time.Duration

/**
 * How much may be on the wire. Full speed until the service is busy: then nothing is sent for as long as it asks, and
 * afterwards half as much at once, growing again with each confirmation. Without the smaller window every batch on
 * the wire would be refused together, and each would wait although the service has room for one.
 */
private[eventhubs] final class SendWindow(maxBytes: Long) {

  private var window = maxBytes
  private var onWire = 0L
  private var pausedUntil = Option.empty[Long]

  def mayStart(bytes: Int, nowNanos: Long): Boolean =
    pausedUntil.forall(_ - nowNanos <= 0) && (onWire == 0 || onWire + bytes <= window)

  /** When the pause ends, if there is one. */
  def pauseEnds: Option[Long] = pausedUntil

  def endPause(nowNanos: Long): Unit = pausedUntil = pausedUntil.filter(_ - nowNanos > 0)

  def started(bytes: Int): Unit = onWire += bytes

  def confirmed(bytes: Int): Unit = {
    onWire -= bytes
    window = math.min(maxBytes, window + bytes / 2)
  }

  def failed(bytes: Int): Unit = onWire -= bytes

  def throttled(bytes: Int, pause: Duration, nowNanos: Long): Unit = {
    onWire -= bytes
    window = math.max(bytes.toLong, math.min(window, onWire + bytes) / 2)
    val ends = nowNanos + pause.toNanos
    pausedUntil = Some(pausedUntil.fold(ends)(before => if (before - ends > 0) before else ends))
  }
}
