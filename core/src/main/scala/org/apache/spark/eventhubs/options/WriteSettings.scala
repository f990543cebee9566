package org.apache.spark.eventhubs.options

import java.time.Duration

import org.apache.spark.eventhubs.EventHubsErrors
import org.apache.spark.internal.Logging

/**
 * The options of one writing query, parsed and checked.
 *
 * @param destination      where all rows go; with AnyPartition, where their own columns say
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

object WriteSettings extends Logging {
  import WriteOptions._

  /**
   * @param options as Spark hands them over, keys in any case
   * @throws EventHubsException when an option is unknown, wrong, missing or contradicts another
   */
  private[spark] def parse(options: Map[String, String]): WriteSettings = {
    val checked = OptionsCheck(options)
    checked.warnings.foreach(warning => logWarning(warning))
    val maxBatchBytes = checked.get(MaxBatchBytes)
    val maxInFlightBytes = checked(MaxInFlightBytes)
    if (maxBatchBytes.exists(_ > maxInFlightBytes))
      throw EventHubsErrors.conflictingOptions(
        s"'${MaxBatchBytes.key}' is more than '${MaxInFlightBytes.key}', which is $maxInFlightBytes",
        "A task must be able to have one batch in flight: make the first smaller or the second larger."
      )
    WriteSettings(
      connection = ConnectionSettings.parse(checked),
      destination = destination(checked),
      maxBatchBytes = maxBatchBytes.map(_.toInt),
      maxInFlightBytes = maxInFlightBytes,
      sendTimeout = checked(SendTimeout),
      oversizedEvents = checked(OversizedEventsOption)
    )
  }

  private def destination(options: GivenOptions): WriteDestination =
    (options.get(PartitionId), options.get(PartitionKey)) match {
      case (Some(id), Some(key)) =>
        throw EventHubsErrors.conflictingOptions(
          s"'${PartitionId.key}' is $id and '${PartitionKey.key}' is '$key'",
          "An event goes to a partition or to where its key belongs: remove one of the two."
        )
      case (Some(id), None) => WriteDestination.ToPartition(id.toString)
      case (None, Some(key)) => WriteDestination.ByKey(key)
      case (None, None) => WriteDestination.AnyPartition
    }
}

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
