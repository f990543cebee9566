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
 * @param sendTimeout      how long one batch may take, retries included, before the task fails; a busy service is waited for longer
 * @param batchWrite       by what a batch write is known when it is tried again; None for one that is not
 * @param settleDelay      how long after a failure what was sent before it may still arrive
 * @param stampEvents      whether events written at least once carry an id for readers
 */
final case class WriteSettings(
    connection: ConnectionSettings,
    destination: WriteDestination,
    maxBatchBytes: Option[Int],
    maxInFlightBytes: Long,
    sendTimeout: Duration,
    oversizedEvents: OversizedEvents,
    guarantee: DeliveryGuarantee,
    batchWrite: Option[BatchWriteId],
    settleDelay: Duration,
    stampEvents: Boolean
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
      oversizedEvents = checked(OversizedEventsOption),
      guarantee = checked(Guarantee),
      batchWrite = batchWrite(checked),
      settleDelay = checked(SettleDelay),
      stampEvents = checked(StampEvents)
    )
  }

  private def batchWrite(options: ParsedOptions): Option[BatchWriteId] =
    (options.get(WriteId), options.get(WriteVersion)) match {
      case (Some(id), Some(version)) => Some(BatchWriteId(id, version, options.get(WriteLogLocation)))
      case (None, None) => None
      case (id, _) =>
        val (present, missing) = if (id.isDefined) (WriteId.key, WriteVersion.key) else (WriteVersion.key, WriteId.key)
        throw EventHubsErrors.missingOption(
          missing,
          s"'$present' is set; a write that is tried again is known by both."
        )
    }

  private def destination(options: ParsedOptions): WriteDestination =
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

/**
 * What stays the same when a batch write is tried again.
 *
 * @param version     grows from write to write of this id
 * @param logLocation folder of the records; None unless exactly once is asked for
 */
final case class BatchWriteId(id: String, version: Long, logLocation: Option[String])

/** What becomes of events when something fails and is done again. */
sealed trait DeliveryGuarantee
object DeliveryGuarantee {

  /** None is lost; some may be in the hub twice. */
  case object AtLeastOnce extends DeliveryGuarantee

  /** None is lost and none is in the hub twice. */
  case object ExactlyOnce extends DeliveryGuarantee
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
