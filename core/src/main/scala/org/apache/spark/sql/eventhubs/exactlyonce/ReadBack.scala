package org.apache.spark.sql.eventhubs.exactlyonce

import org.apache.spark.eventhubs.EventHubName
import org.apache.spark.eventhubs.amqp.{OutgoingBody, ReceivedEvent}
import org.apache.spark.eventhubs.executor.ExecutorResources
import org.apache.spark.eventhubs.generation.HubGeneration
import org.apache.spark.eventhubs.options.{
  ConnectionOptions,
  EventHubsOption,
  EventHubsOptions,
  OptionScope,
  ReadMode,
  ReadOptions,
  ReadSettings
}
import org.apache.spark.eventhubs.rdd.{EventConverter, OffsetRange}
import org.apache.spark.eventhubs.retry.MonotonicClock
import org.apache.spark.sql.eventhubs.planning.{HubSnapshot, PartitionInfoReader}
import org.apache.spark.sql.eventhubs.sink.{Fingerprint, WriteIdentity}

/** Reads the hub that an exactly-once write sends to. */
private[eventhubs] object ReadBack {

  /** Only for the parser, which requires a name. */
  private val AnyName = "any"

  /** The options for reading that a read-back goes by. The others may be of a query that shares its options. */
  private val Used: Set[EventHubsOption[_]] = Set(
    ReadOptions.ConsumerGroup,
    ReadOptions.PrefetchCount,
    ReadOptions.ReceiverBufferBytes,
    ReadOptions.MaxConnections
  )

  /**
   * The read settings in `options` without positions, limits and partitions: all events of the hub count.
   *
   * @param hub of the write. Where each row names it, [[of]] gives the settings of one
   */
  def settings(options: Map[String, String], hub: EventHubName): ReadSettings = {
    val own = options.filter { case (key, _) =>
      EventHubsOptions.find(key).forall(option => option.scope != OptionScope.Read || Used(option))
    }
    val named = if (hub.isOfRows) own + (ConnectionOptions.Name.key -> AnyName) else own
    val parsed = ReadSettings.parse(named, ReadMode.Batch)
    parsed.copy(
      connection = parsed.connection.copy(hub = hub),
      // No second link confirms a gap: [[CompleteRange]] counts the events. A range whose last events are gone ends
      // when the service has answered twice, not after the operation timeout.
      compacted = true,
      replayCacheBytes = 0
    )
  }

  /** The same settings for another hub of the namespace. */
  def of(settings: ReadSettings, hub: EventHubName): ReadSettings =
    settings.copy(connection = settings.connection.copy(hub = hub))

  /**
   * The ends of the partitions as the service reports them, perhaps late, and the first retained event of each.
   *
   * @param recorded what is known of the hub. An answer that lacks its partitions or the promotions that it knows comes
   *                 from a replica that lags behind: the partitions are asked for, and the epochs are asked for again
   * @param checkCancelled called often between such questions; throws when the caller is to stop
   */
  def reportedPositions(
      settings: ReadSettings,
      recorded: Option[HubPositions],
      checkCancelled: () => Unit = () => ()
  ): (HubPositions, Map[Int, Long]) = {
    val snapshot = query(settings, recorded, checkCancelled)
    val earliest = snapshot.bounds.map { case (partition, bounds) => partition -> bounds.earliest }
    (HubPositions.of(settings.connection.hub, snapshot), earliest)
  }

  /**
   * The ends of the partitions after this call, whatever the service reports. Tasks of this JVM that call it at the
   * same time share one search.
   *
   * @param recorded as of [[reportedPositions]]
   */
  def sharedEnds(settings: ReadSettings, recorded: HubPositions, checkCancelled: () => Unit): HubPositions = {
    val resources = ExecutorResources.get
    val about = (settings.consumerGroup, recorded.next.keySet)
    val (generation, next, epochs) = resources.hubEnds.ask(settings.connection, about, checkCancelled) {
      val (reported, _) = reportedPositions(settings, Some(recorded), checkCancelled)
      val ends = new PartitionEnds(settings, resources, checkCancelled).after(reported)
      (ends.generation, ends.next, ends.epochs)
    }
    HubPositions(settings.connection.hub, generation, next, epochs)
  }

  /** When the hub was created. Tasks of this JVM that call it at the same time share one question. */
  def sharedGeneration(settings: ReadSettings, checkCancelled: () => Unit): HubGeneration.CreatedAt =
    ExecutorResources.get.generations.ask(settings.connection, (), checkCancelled) {
      val info = new PartitionInfoReader(settings, ExecutorResources.get.clients, new MonotonicClock)
      try info.client.hubProperties().generation
      finally info.close()
    }

  private def query(
      settings: ReadSettings,
      recorded: Option[HubPositions],
      checkCancelled: () => Unit
  ): HubSnapshot = {
    val info = new PartitionInfoReader(
      settings,
      ExecutorResources.get.clients,
      new MonotonicClock,
      checkCancelled = checkCancelled
    )
    try {
      val found = info.confirmed(snapshot => recorded.toSeq.flatMap(_.promotionsUnknownTo(snapshot)))
      val known = recorded.filter(_.generation == found.generation).fold(Set.empty[Int])(_.next.keySet)
      val whole = info.completed(found, known)
      val refused = known -- whole.bounds.keySet
      // Fails, and says what the service says.
      if (refused.isEmpty) whole
      else whole.copy(bounds = whole.bounds ++ info.client.partitionBounds(refused.toSeq.sorted))
    } finally info.close()
  }
}

/** Converts the events of one write to their fingerprints, and all others to None. */
private[eventhubs] final case class FingerprintsOf(writeId: WriteIdentity, hub: EventHubName, inHub: Long)
    extends EventConverter[Option[Fingerprint]] {

  override def open(range: OffsetRange): ReceivedEvent => Option[Fingerprint] =
    event =>
      EventStamp.of(event, writeId, hub).map { stamp =>
        Fingerprint.combine(OutgoingBody.of(event), stamp.attributes).inHub(inHub)
      }
}
