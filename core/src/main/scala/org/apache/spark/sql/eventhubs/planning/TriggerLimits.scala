package org.apache.spark.sql.eventhubs.planning

import org.apache.spark.eventhubs.options.ReadSettings
import org.apache.spark.sql.connector.read.streaming._
import org.apache.spark.sql.eventhubs.compat.BytesLimit

/**
 * How much one micro-batch reads. Converts between the options and Spark's read limits.
 *
 * @param minEvents      a smaller backlog waits
 * @param maxDelayMillis how long it waits at most
 */
private[eventhubs] final case class TriggerLimits(
    maxEvents: Option[Long] = None,
    maxBytes: Option[Long] = None,
    minEvents: Option[Long] = None,
    maxDelayMillis: Long = 0L
) {

  def readLimit: ReadLimit = Seq(
    minEvents.map(ReadLimit.minRows(_, maxDelayMillis)),
    maxEvents.map(ReadLimit.maxRows),
    maxBytes.map(BytesLimit(_))
  ).flatten match {
    case Nil => ReadLimit.allAvailable()
    case Seq(one) => one
    case several => ReadLimit.compositeLimit(several.toArray)
  }

  /**
   * Both upper limits as a number of events.
   *
   * @param bytesPerEvent None until it is known. Until then every event counts as the largest that the service accepts,
   *                      so that the first batch stays within the limit
   */
  def eventLimit(bytesPerEvent: Option[Double]): Option[Long] = {
    val bySize = maxBytes.map { bytes =>
      math.max(1L, (bytes / bytesPerEvent.fold(TriggerLimits.LargestEventBytes)(math.max(1.0, _))).toLong)
    }
    (maxEvents ++ bySize).minOption
  }
}

private[eventhubs] object TriggerLimits {

  private val LargestEventBytes = (1L << 20).toDouble

  def of(settings: ReadSettings): TriggerLimits = TriggerLimits(
    settings.maxEventsPerTrigger,
    settings.maxBytesPerTrigger,
    settings.minEventsPerTrigger,
    settings.maxTriggerDelay.toMillis
  )

  def of(limit: ReadLimit): TriggerLimits = limit match {
    case rows: ReadMaxRows => TriggerLimits(maxEvents = Some(rows.maxRows()))
    case BytesLimit(bytes) => TriggerLimits(maxBytes = Some(bytes))
    case rows: ReadMinRows => TriggerLimits(minEvents = Some(rows.minRows()), maxDelayMillis = rows.maxTriggerDelayMs())
    case _: ReadAllAvailable => TriggerLimits()
    case several: CompositeReadLimit => several.getReadLimits.map(of).foldLeft(TriggerLimits())(both)
    case other => throw new UnsupportedOperationException(s"read limit $other")
  }

  private def both(one: TriggerLimits, other: TriggerLimits): TriggerLimits = TriggerLimits(
    (one.maxEvents ++ other.maxEvents).minOption,
    (one.maxBytes ++ other.maxBytes).minOption,
    (one.minEvents ++ other.minEvents).maxOption,
    math.max(one.maxDelayMillis, other.maxDelayMillis)
  )
}
