package localhub.amqp.server

import java.time.Clock

/** Admits requests for hub and partition properties: up to a number a second for the namespace, or all. Thread-safe. */
private[amqp] final class ManagementRequests(perSecond: Option[Int], clock: Clock) {
  private var second = Long.MinValue
  private var admitted = 0

  def admit(): Boolean = perSecond.forall { limit =>
    synchronized {
      val now = clock.millis() / 1000
      if (now != second) {
        second = now
        admitted = 0
      }
      admitted += 1
      admitted <= limit
    }
  }
}
