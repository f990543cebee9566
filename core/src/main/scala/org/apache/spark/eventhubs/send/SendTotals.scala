package org.apache.spark.eventhubs.send

/**
 * Counts of a task's events and batches.
 *
 * @param events    confirmed by the service
 * @param bytes     size of the confirmed batches on the wire
 * @param batches   confirmed by the service
 * @param throttled refusals of batches because the service was busy
 * @param retried   attempts after a dropped link, a dead client or no answer
 * @param dropped   events not sent because they were too large and `oversizedEvents` is `drop`
 * @param found     events not sent because an earlier attempt had written them (exactly once)
 */
private[spark] final case class SendTotals(
    events: Long,
    bytes: Long,
    batches: Long,
    throttled: Long,
    retried: Long,
    dropped: Long,
    found: Long = 0
) {

  def +(other: SendTotals): SendTotals = SendTotals(
    events + other.events,
    bytes + other.bytes,
    batches + other.batches,
    throttled + other.throttled,
    retried + other.retried,
    dropped + other.dropped,
    found + other.found
  )
}

private[spark] object SendTotals {
  val Zero: SendTotals = SendTotals(0, 0, 0, 0, 0, 0)
}
