package org.apache.spark.eventhubs.send

import java.time.Duration

import org.apache.spark.eventhubs.options.{OversizedEvents, WriteSettings}

/**
 * What one task may hold and how patient it is.
 *
 * @param maxInFlightBytes   full batches without the service's answer; batches being filled may hold as much again
 * @param maxInFlightBatches the same in batches: a batch with one small event still costs the SDK its bookkeeping
 * @param maxOpenBatches     batches being filled
 */
private[spark] final case class SendLimits(
    maxBatchBytes: Option[Int],
    maxInFlightBytes: Long,
    maxInFlightBatches: Int,
    maxOpenBatches: Int,
    sendTimeout: Duration,
    oversized: OversizedEvents
)

private[spark] object SendLimits {

  private val MaxInFlightBatches = 512
  private val MaxOpenBatches = 1024

  def of(settings: WriteSettings): SendLimits = SendLimits(
    settings.maxBatchBytes,
    settings.maxInFlightBytes,
    MaxInFlightBatches,
    MaxOpenBatches,
    settings.sendTimeout,
    settings.oversizedEvents
  )
}
