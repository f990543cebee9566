package org.apache.spark.eventhubs.options

import java.time.Duration

/**
 * The options of one writing query, parsed and checked.
 *
 * @param destination      where rows go that do not say so themselves
 * @param maxBatchBytes    upper bound of one AMQP batch; None is the service's own limit
 * @param maxInFlightBytes bytes that one task may have sent without the service's answer
 * @param sendTimeout      how long one batch may take, retries and throttling included, before the task fails
 */
final case class WriteSettings(
    connection: ConnectionSettings,
    destination: WriteDestination,
    maxBatchBytes: Option[Int],
    maxInFlightBytes: Long,
    sendTimeout: Duration,
    oversizedEvents: OversizedEvents
)

/** Where an event goes: to one partition, to the partition that its key hashes to, or wherever the service likes. */
sealed trait WriteDestination
object WriteDestination {
  final case class ToPartition(id: String) extends WriteDestination
  final case class ByKey(key: String) extends WriteDestination
  case object AnyPartition extends WriteDestination
}

/** What happens to an event that is larger than a batch can be. */
sealed trait OversizedEvents
object OversizedEvents {
  case object Fail extends OversizedEvents
  case object Drop extends OversizedEvents
}
