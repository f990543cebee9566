package org.apache.spark.eventhubs.send

import java.time.Duration

import org.apache.spark.eventhubs.connection.EventHubsProducerClient
import org.apache.spark.eventhubs.options.{OversizedEvents, WriteSettings}

/**
 * Limits of one writing task.
 *
 * @param maxBatchBytes      largest size of a batch; None for the service's limit
 * @param maxInFlightBytes   of the full batches that are not confirmed; the open batches may have as many again
 * @param maxInFlightBatches the same as a number of batches, because a small batch has a fixed cost in the SDK too
 * @param maxOpenBatches     number of batches that are being filled
 * @param sendTimeout        of a batch with all its attempts
 * @param silence            after this time without a result the SDK has lost an attempt to send
 * @param idempotent         whether to send as idempotent producers where the service grants them
 * @param linger             how long a batch that is not full waits for more events; None sends it at the task's end
 */
private[spark] final case class SendLimits(
    maxBatchBytes: Option[Int],
    maxInFlightBytes: Long,
    maxInFlightBatches: Int,
    maxOpenBatches: Int,
    sendTimeout: Duration,
    silence: Duration,
    oversized: OversizedEvents,
    idempotent: Boolean = false,
    linger: Option[Duration] = None
)

private[spark] object SendLimits {

  private val MaxInFlightBatches = 512
  private val MaxOpenBatches = 1024

  /** On a busy machine the SDK reports the end of an attempt late. */
  private val SdkDelay = Duration.ofSeconds(5)

  def of(settings: WriteSettings): SendLimits = SendLimits(
    settings.maxBatchBytes,
    settings.maxInFlightBytes,
    MaxInFlightBatches,
    MaxOpenBatches,
    settings.sendTimeout,
    EventHubsProducerClient.attemptTime(settings.connection).plus(SdkDelay),
    settings.oversizedEvents,
    settings.idempotentProducer,
    settings.linger
  )
}
