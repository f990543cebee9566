package org.apache.spark.eventhubs.send

/**
 * What became of a task's events.
 *
 * @param events    confirmed by the service
 * @param bytes     of the confirmed batches, on the wire
 * @param batches   confirmed
 * @param throttled batches that the service refused for the time being, each refusal counted
 * @param retried   attempts after a dropped link, a dead client or no answer
 * @param dropped   events left out because they were too large and `oversizedEvents` is `drop`
 * @param found     events left out because an earlier attempt had brought them into the hub (exactly once)
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
