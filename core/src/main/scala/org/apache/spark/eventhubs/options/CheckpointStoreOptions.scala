package org.apache.spark.eventhubs.options

import java.time.Duration

import org.apache.spark.eventhubs.{EventHubsErrors, EventPosition, PartitionPositions, Secret}

/** Options of a container with the checkpoints of the Event Hubs SDKs' processors. */
private[spark] object CheckpointStoreOptions {
  import OptionType._

  val Container: EventHubsOption[String] = option(
    "eventhubs.checkpointStore.container",
    Text,
    None,
    "Container of Azure Blob Storage for checkpoints: its URL, with or without a SAS token, or its name, with " +
      "`checkpointStore.connectionString`. A stream publishes there how far it has read, as the SDKs' processors do. " +
      "Without a SAS token or connection string, the sign-in to the event hub is used. See " +
      "docs/guides/checkpoint-stores.md.",
    whenUnset = "no store",
    secret = true
  )

  val ConnectionString: EventHubsOption[String] = option(
    "eventhubs.checkpointStore.connectionString",
    Text,
    None,
    "Connection string of the storage account. `UseDevelopmentStorage=true` is the emulator on this machine.",
    whenUnset = "the URL's SAS token, else the sign-in to the event hub",
    secret = true
  )

  val Interval: EventHubsOption[Duration] = option(
    "eventhubs.checkpointStore.interval",
    PositiveDuration,
    Some(Duration.ofSeconds(10)),
    "Shortest time between two writes of a partition's checkpoint. Positions in between are not written."
  )

  val Publish: EventHubsOption[Boolean] = option(
    "eventhubs.checkpointStore.publish",
    Flag,
    Some(true),
    "`false` only reads the store, for a start at its checkpoints, and writes nothing."
  )

  val DefaultPosition: EventHubsOption[EventPosition] = option(
    "eventhubs.checkpointStore.defaultPosition",
    Position,
    Some(EventPosition.StartOfStream),
    "Starting position of partitions without a checkpoint, with `startingPosition` = `checkpointStore`. Written like " +
      "`startingPosition`."
  )

  val Ownership: EventHubsOption[OwnershipMode] = option[OwnershipMode](
    "eventhubs.checkpointStore.ownership",
    Choice("off" -> OwnershipMode.Off, "fail" -> OwnershipMode.Fail, "wait" -> OwnershipMode.Wait),
    Some(OwnershipMode.Off),
    "Whether a stream owns its partitions in the store, as the SDKs' event processors do, so that it and they take " +
      "turns. If another owner has a partition when the query starts, `fail` stops the query with an error, and " +
      "`wait` waits until all partitions are released. A query that loses a partition stops. See " +
      "docs/guides/checkpoint-stores.md."
  )

  val OwnershipExpiration: EventHubsOption[Duration] = option(
    "eventhubs.checkpointStore.ownershipExpiration",
    PositiveDuration,
    Some(OwnershipMode.DefaultExpiration),
    "Time after which an ownership that was not renewed may be claimed by others. Must be at least that of the event " +
      "processors. The query renews its own six times within this time."
  )

  val all: Seq[EventHubsOption[_]] =
    Seq(Container, ConnectionString, Interval, Publish, DefaultPosition, Ownership, OwnershipExpiration)

  /** @throws EventHubsException EVENTHUBS_CONFLICTING_OPTIONS for an owner that hides how far it has read */
  def isOwned(options: ParsedOptions): Boolean = {
    val owned = options(Ownership) != OwnershipMode.Off
    if (owned && !options(Publish))
      throw EventHubsErrors.conflictingOptions(
        s"'${Ownership.key}' hands partitions over to others, and '${Publish.key}' is 'false', so they would not know " +
          "where to continue",
        s"Remove '${Publish.key}'."
      )
    owned
  }

  private def option[A](
      key: String,
      valueType: OptionType[A],
      default: Option[A],
      doc: String,
      whenUnset: String = "",
      secret: Boolean = false
  ): EventHubsOption[A] =
    EventHubsOption(key, valueType, default, doc, OptionScope.Read, whenUnset = whenUnset, secret = secret)
}

/**
 * The checkpoint store of a query.
 *
 * @param container           URL or name
 * @param interval            shortest time between two writes of one blob
 * @param publishes           false for a query that only reads the store
 * @param defaultPosition     of partitions without a checkpoint
 * @param ofSeveralHubs       whether the query reads several hubs: then a blob that names no hub may be of any of them
 * @param ownershipExpiration age at which an ownership that was not renewed may be claimed by others
 */
private[spark] final case class CheckpointStoreSettings(
    container: Secret,
    connectionString: Option[Secret],
    interval: Duration,
    publishes: Boolean,
    defaultPosition: EventPosition,
    ofSeveralHubs: Boolean = false,
    ownership: OwnershipMode = OwnershipMode.Off,
    ownershipExpiration: Duration = OwnershipMode.DefaultExpiration
)

private[spark] object CheckpointStoreSettings {
  import CheckpointStoreOptions._

  /**
   * None without a container.
   *
   * @throws EventHubsException for an option that needs a container, or a position that cannot come from one
   */
  def parse(options: ParsedOptions): Option[CheckpointStoreSettings] = {
    val settings = parseStore(options)
    def stored(option: EventHubsOption[EventPosition]) = options.get(option).contains(EventPosition.CheckpointStore)
    def storedOne(option: EventHubsOption[PartitionPositions]) =
      options.get(option).exists(_.entries.exists(_.position == EventPosition.CheckpointStore))
    if (stored(ReadOptions.EndingPosition)) throw notHere(options, ReadOptions.EndingPosition)
    if (storedOne(ReadOptions.EndingPositions)) throw notHere(options, ReadOptions.EndingPositions)
    if (stored(DefaultPosition)) throw notHere(options, DefaultPosition)
    if (settings.isEmpty && (stored(ReadOptions.StartingPosition) || storedOne(ReadOptions.StartingPositions)))
      throw EventHubsErrors.missingOption(Container.key, "A starting position is 'checkpointStore', and needs it.")
    settings
  }

  private def notHere(options: ParsedOptions, option: EventHubsOption[_]) =
    options.invalid(option, "a position that is not 'checkpointStore'; only a start can come from the store")

  private def parseStore(options: ParsedOptions): Option[CheckpointStoreSettings] =
    options.availableSecret(Container) match {
      case None =>
        all.find(options.isSet).foreach { set =>
          throw EventHubsErrors.missingOption(Container.key, s"'${set.key}' is set, and needs it.")
        }
        None
      case Some(container) => Some(
          CheckpointStoreSettings(
            container,
            options.availableSecret(ConnectionString),
            options(Interval),
            options(Publish),
            options(DefaultPosition),
            ownership = options(Ownership),
            ownershipExpiration = options(OwnershipExpiration)
          )
        )
    }
}

/** Whether a stream owns its partitions in the checkpoint store, and what it does if another owner has one. */
private[spark] sealed trait OwnershipMode
private[spark] object OwnershipMode {

  /** The query neither claims partitions nor respects their owners. */
  case object Off extends OwnershipMode
  sealed trait Owned extends OwnershipMode
  case object Fail extends Owned
  case object Wait extends Owned

  /** The default of the event processors for Java and .NET. Those for Python and Go renew often enough for it. */
  val DefaultExpiration: Duration = Duration.ofMinutes(2)
}
