package org.apache.spark.eventhubs.options

import java.time.Duration

import org.apache.spark.eventhubs.{EventHubName, EventHubsErrors}
import org.apache.spark.internal.Logging

/**
 * The parsed and checked options of one query that writes.
 *
 * @param connection       its hub is `EventHubName.OfRows` when each row names its hub
 * @param destination      destination of all rows; with AnyPartition, each row's columns select it
 * @param maxBatchBytes    maximum size of an AMQP batch; None is the service's limit
 * @param maxInFlightBytes bytes that one task may have in flight
 * @param linger           how long a batch that is not full waits for more events; None until its task ends
 * @param sendTimeout      longest time for one batch, retries included; a task waits longer for a busy service
 * @param writesTombstones whether a row without a body is sent as an event without a value; otherwise it is an error
 * @param batchWrite       identifies a batch write that may be retried; None for other writes
 * @param settleDelay      how long batches that were sent before a failure may still arrive after it
 * @param settleDelayAfterTimeout the same after an attempt without an answer
 * @param idempotentProducer whether exactly-once sends as idempotent producers where the service grants them
 * @param stampEvents      whether events of an at-least-once write carry an id for readers
 */
private[spark] final case class WriteSettings(
    connection: ConnectionSettings,
    destination: WriteDestination,
    maxBatchBytes: Option[Int],
    maxInFlightBytes: Long,
    linger: Option[Duration],
    sendTimeout: Duration,
    oversizedEvents: OversizedEvents,
    writesTombstones: Boolean,
    guarantee: DeliveryGuarantee,
    batchWrite: Option[BatchWriteId],
    settleDelay: Duration,
    settleDelayAfterTimeout: Duration,
    idempotentProducer: Boolean,
    stampEvents: Boolean
) {

  /** Whether each row names its hub. */
  def hubByRow: Boolean = connection.hub.isOfRows

  /** For Real-Time Mode: its tasks run for minutes, so events are sent at once unless the user has set a time. */
  def forRealTime: WriteSettings = copy(linger = linger.orElse(Some(Duration.ZERO)))

  /** The connection to another hub of the same namespace. */
  def connectionTo(hub: EventHubName): ConnectionSettings = connection.copy(hub = hub)
}

private[spark] object WriteSettings extends Logging {
  import WriteOptions._

  /**
   * @param options from Spark, with keys in any case
   * @throws EventHubsException if an option is unknown, invalid, missing or contradicts another
   */
  def parse(options: Map[String, String]): WriteSettings = {
    val parsed = OptionsParser.parse(options)
    parsed.warnings.foreach(warning => logWarning(warning))
    val maxBatchBytes = parsed.get(MaxBatchBytes)
    val maxInFlightBytes = parsed(MaxInFlightBytes)
    if (maxBatchBytes.exists(_ > maxInFlightBytes))
      throw EventHubsErrors.conflictingOptions(
        s"'${MaxBatchBytes.key}' is larger than '${MaxInFlightBytes.key}', which is $maxInFlightBytes",
        "One batch must fit into the bytes in flight: lower the first or raise the second."
      )
    WriteSettings(
      connection = oneHub(ConnectionSettings.parse(parsed, unnamed = Some(EventHubName.OfRows))),
      destination = destination(parsed),
      maxBatchBytes = maxBatchBytes.map(_.toInt),
      maxInFlightBytes = maxInFlightBytes,
      linger = parsed.get(LingerMs).map(millis => Duration.ofMillis(millis.toLong)),
      sendTimeout = parsed(SendTimeout),
      oversizedEvents = parsed(OversizedEventsOption),
      writesTombstones = parsed(Tombstones),
      guarantee = parsed(Guarantee),
      batchWrite = batchWrite(parsed),
      settleDelay = parsed(SettleDelay),
      settleDelayAfterTimeout = parsed(SettleDelayAfterTimeout),
      idempotentProducer = parsed(IdempotentProducer),
      stampEvents = parsed(StampEvents)
    )
  }

  private def oneHub(connection: ConnectionSettings): ConnectionSettings =
    if (!HubSelection.isList(connection.hub.name)) connection
    else throw EventHubsErrors.invalidOption(
      ConnectionOptions.Name.key,
      connection.hub.name,
      "the name of one event hub, because only reads accept a list"
    )

  private def batchWrite(options: ParsedOptions): Option[BatchWriteId] =
    (options.get(WriteId), options.get(WriteVersion)) match {
      case (Some(id), Some(version)) => Some(BatchWriteId(id, version, options.get(WriteLogLocation)))
      case (None, None) => None
      case (id, _) =>
        val (present, missing) = if (id.isDefined) (WriteId.key, WriteVersion.key) else (WriteVersion.key, WriteId.key)
        throw EventHubsErrors.missingOption(
          missing,
          s"'$present' is set. A retried write is identified by both: set both or none."
        )
    }

  private def destination(options: ParsedOptions): WriteDestination =
    (options.get(PartitionId), options.get(PartitionKey)) match {
      case (Some(id), Some(key)) =>
        throw EventHubsErrors.conflictingOptions(
          s"'${PartitionId.key}' is $id and '${PartitionKey.key}' is '$key'",
          "Either a partition or a key selects the destination: remove one of the two options."
        )
      case (Some(id), None) => WriteDestination.ToPartition(id.toString)
      case (None, Some(key)) => WriteDestination.ByKey(key)
      case (None, None) => WriteDestination.AnyPartition
    }
}

/**
 * Identifies a batch write. A retried write has the same id and version.
 *
 * @param version     grows from write to write of this id
 * @param logLocation folder of the records for exactly once; None if not set
 */
private[spark] final case class BatchWriteId(id: String, version: Long, logLocation: Option[String])

/** Whether events may be duplicated when something fails and is retried. */
private[spark] sealed trait DeliveryGuarantee
private[spark] object DeliveryGuarantee {

  /** No event is lost. Some may be in the hub twice. */
  case object AtLeastOnce extends DeliveryGuarantee

  /** No event is lost or duplicated. */
  case object ExactlyOnce extends DeliveryGuarantee
}

/** Destination of an event: one partition, the partition of its key's hash, or any partition. */
private[spark] sealed trait WriteDestination
private[spark] object WriteDestination {
  final case class ToPartition(id: String) extends WriteDestination
  final case class ByKey(key: String) extends WriteDestination
  case object AnyPartition extends WriteDestination
}

/** What happens to an event that does not fit into a batch. */
private[eventhubs] sealed trait OversizedEvents
private[eventhubs] object OversizedEvents {
  case object Fail extends OversizedEvents
  case object Drop extends OversizedEvents
}
