package org.apache.spark.eventhubs.send

import java.time.Duration

/**
 * Limits the bytes on the wire. The window is full until the service is busy. Then nothing is sent during the pause
 * that the service asks for, and afterwards the window is half as large and grows with each confirmed batch. Without
 * the smaller window the service would refuse all batches on the wire together, although it has room for some.
 */
private[eventhubs] final class SendWindow(maxBytes: Long) {

  private var window = maxBytes
  private var onWire = 0L
  private var pausedUntil = Option.empty[Long]

  def mayStart(bytes: Int, nowNanos: Long): Boolean =
    pausedUntil.forall(_ - nowNanos <= 0) && (onWire == 0 || onWire + bytes <= window)

  /** The end of the pause, if there is one. */
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
