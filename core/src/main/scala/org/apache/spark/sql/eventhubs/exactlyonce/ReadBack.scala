package org.apache.spark.sql.eventhubs.exactlyonce

import org.apache.spark.eventhubs.EventHubName
import org.apache.spark.eventhubs.amqp.{OutgoingBody, ReceivedEvent}
import org.apache.spark.eventhubs.executor.ExecutorResources
import org.apache.spark.eventhubs.generation.HubGeneration
import org.apache.spark.eventhubs.options.{
  ConnectionOptions,
  EventHubsOption,
  EventHubsOptions,
  HubSelection,
  OptionScope,
  ReadMode,
  ReadOptions,
  ReadSettings
}
import org.apache.spark.eventhubs.rdd.{EventConverter, OffsetRange}
import org.apache.spark.eventhubs.retry.MonotonicClock
import org.apache.spark.eventhubs.service.{HubSnapshot, Known}
import org.apache.spark.sql.eventhubs.planning.PartitionInfoReader
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

  /** To find the ends of so few takes no longer than to find one, and the service may be asked about each. */
  val FewPartitions = 32

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
    of(parsed, hub).copy(
      // No second link confirms a gap: [[CompleteRange]] counts the events. A range whose last events are gone ends
      // when the service has answered twice, not after the operation timeout.
      compacted = true,
      replayCacheBytes = 0
    )
  }

  /** Changes the settings to another hub of the namespace. */
  def of(settings: ReadSettings, hub: EventHubName): ReadSettings =
    settings.copy(connection = settings.connection.copy(hub = hub), hubs = HubSelection.of(hub.name))

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
   * The events of a write since `known`, in a hub that is not geo-replicated. The service is asked about the hub only:
   * each partition is read to its end, over links that wait at the same time. Tasks of this JVM that want the same
   * partitions at the same time share one search, which gives the number of events of each batch.
   *
   * @param partitions that are read; None for all, also those that were added since
   */
  def sharedEventsSince(
      settings: ReadSettings,
      known: HubPositions,
      partitions: Option[Set[Int]],
      writeId: WriteIdentity,
      checkCancelled: () => Unit
  ): EventsSince = {
    // Tasks share the search more often when they do not choose.
    val wanted = partitions.filter(_ => known.next.size > FewPartitions)
    val about = (settings.consumerGroup, wanted, writeId.tag, known.generation, known.next)
    val (generation, ends, incomplete, found) =
      ExecutorResources.get.batchesSince.ask(settings.connection, about, checkCancelled) {
        val counts = new BatchCounts
        val since = eventsSince(settings, known, wanted, writeId, checkCancelled) { (partition, _, stamp) =>
          counts.add(partition, stamp)
        }
        val batches = counts.result.map { case ((task, batch), events) =>
          (task, batch.attempt, batch.sequence) -> events
        }
        (since.ends.generation, since.ends.next, since.incomplete, batches)
      }
    val batches = found.map { case ((task, attempt, sequence), events) =>
      (task, BatchNumber(attempt, sequence)) -> events
    }
    EventsSince(HubPositions(known.hub, generation, ends), incomplete, batches)
  }

  /**
   * Reads the events since `known`.
   *
   * @param use gets the partition, the event and its stamp; called by several threads, one at a time
   */
  def eventsSince(
      settings: ReadSettings,
      known: HubPositions,
      partitions: Option[Set[Int]],
      writeId: WriteIdentity,
      checkCancelled: () => Unit
  )(use: (Int, ReceivedEvent, EventStamp) => Unit): EventsSince = {
    val resources = ExecutorResources.get
    val info = PartitionInfoReader.alone(settings, resources.clients, new MonotonicClock)
    try {
      val hub = info.client.hubProperties()
      if (hub.generation != known.generation) EventsSince(known.copy(generation = hub.generation))
      else {
        val read = partitions.getOrElse(known.next.keySet ++ hub.partitionIds)
        val from = known.copy(next = read.map(partition => partition -> known.next.getOrElse(partition, 0L)).toMap)
        val (ends, counts) = new PartitionEnds(settings, resources, checkCancelled).eventsSince(from) {
          (partition, event) =>
            EventStamp.of(event, writeId, known.hub).foreach(use(partition, event, _))
        }
        val incomplete = from.until(ends).collectFirst {
          case range if counts(range.partitionId) < range.count =>
            s"${range.count - counts(range.partitionId)} of the events in $range were not delivered, as after retention " +
              "or compaction has removed them"
        }
        // The links lead to the hub of this moment, so it was the same one all the time.
        EventsSince(ends.copy(generation = info.client.hubProperties().generation), incomplete)
      }
    } finally info.close()
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

  /** The epoch of the first event at or after a number, found by receiving it; None when none comes. */
  def epochAt(settings: ReadSettings, partition: Int, seqNo: Long): Option[Int] = {
    val info = PartitionInfoReader.alone(settings, ExecutorResources.get.clients, new MonotonicClock)
    val timeout = settings.connection.operationTimeout
    try info.client.epochAt(settings.consumerGroup, partition, seqNo, None, timeout, whenEmpty = None)
    finally info.close()
  }

  /** When the hub was created. Tasks of this JVM that call it at the same time share one question. */
  def sharedGeneration(settings: ReadSettings, checkCancelled: () => Unit): HubGeneration.CreatedAt =
    ExecutorResources.get.generations.ask(settings.connection, (), checkCancelled) {
      val info = PartitionInfoReader.alone(settings, ExecutorResources.get.clients, new MonotonicClock)
      try info.client.hubProperties().generation
      finally info.close()
    }

  private def query(
      settings: ReadSettings,
      recorded: Option[HubPositions],
      checkCancelled: () => Unit
  ): HubSnapshot = {
    val info = PartitionInfoReader.alone(
      settings,
      ExecutorResources.get.clients,
      new MonotonicClock,
      checkCancelled = checkCancelled
    )
    try {
      val found = info.snapshot(answer => recorded.fold(Map.empty[Int, Known])(_.knownIn(answer)))
      val known = recorded.filter(_.generation == found.generation).fold(Set.empty[Int])(_.next.keySet)
      val whole = info.completed(found, known)
      val refused = known -- whole.bounds.keySet
      // Fails, and says what the service says.
      if (refused.isEmpty) whole
      else whole.copy(bounds = whole.bounds ++ info.client.partitionBounds(refused.toSeq.sorted))
    } finally info.close()
  }
}

/**
 * What a hub has received since some positions.
 *
 * @param ends       of the partitions that were read
 * @param incomplete why some events are unknown
 * @param batches    for each task and batch of a write, the number of its events
 */
private[eventhubs] final case class EventsSince(
    ends: HubPositions,
    incomplete: Option[String] = None,
    batches: Map[(Int, BatchNumber), Int] = Map.empty
)

/** Converts the events of one write to their fingerprints, and all others to None. */
private[eventhubs] final case class FingerprintsOf(writeId: WriteIdentity, hub: EventHubName, inHub: Long)
    extends EventConverter[Option[Fingerprint]] {

  override def open(range: OffsetRange): ReceivedEvent => Option[Fingerprint] =
    event =>
      EventStamp.of(event, writeId, hub).map { stamp =>
        Fingerprint.combine(OutgoingBody.of(event), stamp.attributes).inHub(inHub)
      }
}
