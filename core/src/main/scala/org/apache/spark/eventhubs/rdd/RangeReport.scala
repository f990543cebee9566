package org.apache.spark.eventhubs.rdd

import org.apache.spark.eventhubs.NameAndPartition

/**
 * What one task read of a range.
 *
 * @param bytes              of the bodies
 * @param waitedMillis       time spent waiting for events
 * @param linksOpened        0 when the task continued with an open link
 * @param throttled          how often the service was too busy
 * @param lastEnqueuedMillis of the last event read; None before the first
 * @param lastEvent          the last event read; None before the first
 */
private[spark] final case class RangeReport(
    partition: NameAndPartition,
    events: Long,
    bytes: Long,
    waitedMillis: Long,
    linksOpened: Long,
    throttled: Long,
    lastEnqueuedMillis: Option[Long],
    lastEvent: Option[LastEvent] = None
)
