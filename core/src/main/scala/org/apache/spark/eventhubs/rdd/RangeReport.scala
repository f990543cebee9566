package org.apache.spark.eventhubs.rdd

/**
 * How far one task came and what it cost.
 *
 * @param bytes              of the bodies
 * @param waitedMillis       time spent waiting for events
 * @param linksOpened        0 when the task went on with a link that was open
 * @param throttled          times that the service was too busy
 * @param lastEnqueuedMillis of the last event read; None before the first
 */
final case class RangeReport(
    partitionId: Int,
    events: Long,
    bytes: Long,
    waitedMillis: Long,
    linksOpened: Long,
    throttled: Long,
    lastEnqueuedMillis: Option[Long]
)
