package localhub.amqp.link

import java.time.Duration

/** Whether a link was used within its limit. The use sets only a flag, and the next check reads the clock. */
private[amqp] final class IdleTimer(val limit: Duration, createdNanos: Long) {
  private var usedNow = true
  private var lastUsed = createdNanos

  def used(): Unit = usedNow = true

  def hasExpired(nowNanos: Long): Boolean = {
    if (usedNow) lastUsed = nowNanos
    usedNow = false
    nowNanos - lastUsed > limit.toNanos
  }
}
