package org.apache.spark.sql.eventhubs.exactlyonce

import org.apache.spark.eventhubs.amqp.{OutgoingBody, ReceivedEvent}
import org.apache.spark.eventhubs.executor.ExecutorResources
import org.apache.spark.eventhubs.generation.HubGeneration
import org.apache.spark.eventhubs.options.{ConnectionOptions, ReadMode, ReadSettings}
import org.apache.spark.eventhubs.rdd.{EventConverter, OffsetRange}
import org.apache.spark.eventhubs.{EventHubName, EventPosition}
import org.apache.spark.sql.eventhubs.planning.{HubSnapshot, PartitionInfoReader}
import org.apache.spark.sql.eventhubs.sink.{Fingerprint, WriteIdentity}
import org.apache.spark.util.SystemClock

/** Reads the hub that an exactly-once write sends to. */
private[eventhubs] object ReadBack {

  /** Only for the parser, which requires a name. */
  private val AnyName = "any"

  /**
   * The read settings in `options` without positions, limits and partitions: all events of the hub count.
   *
   * @param hub of the write. Where each row names it, [[of]] gives the settings of one
   */
  def settings(options: Map[String, String], hub: EventHubName): ReadSettings = {
    val named = if (hub.isOfRows) options + (ConnectionOptions.Name.key -> AnyName) else options
    val parsed = ReadSettings.parse(named, ReadMode.Batch)
    parsed.copy(
      connection = parsed.connection.copy(hub = hub),
      startingPosition = EventPosition.StartOfStream,
      startingPositions = Map.empty,
      endingPosition = EventPosition.EndOfStream,
      endingPositions = Map.empty,
      partitions = None,
      failOnDataLoss = true,
      ownerLevel = None,
      minPartitions = None,
      maxEventsPerTask = None,
      maxPartitions = None,
      replayCacheBytes = 0
    )
  }

  /** The same settings for another hub of the namespace. */
  def of(settings: ReadSettings, hub: EventHubName): ReadSettings =
    settings.copy(connection = settings.connection.copy(hub = hub))

  /** The ends of the partitions as the service reports them, perhaps late, and the first retained event of each. */
  def reportedPositions(settings: ReadSettings): (HubPositions, Map[Int, Long]) = {
    val snapshot = query(settings)
    val earliest = snapshot.bounds.map { case (partition, bounds) => partition -> bounds.earliest }
    (HubPositions.of(settings.connection.hub, snapshot), earliest)
  }

  /**
   * The ends of the partitions after this call, whatever the service reports. Tasks of this JVM that call it at the
   * same time share one search.
   */
  def sharedEnds(settings: ReadSettings, checkCancelled: () => Unit): HubPositions = {
    val resources = ExecutorResources.get
    val key = (settings.connection, settings.consumerGroup)
    val (generation, next, epochs) = resources.hubEnds.run(key, checkCancelled) {
      val ends = new PartitionEnds(settings, resources, checkCancelled).after(reportedPositions(settings)._1)
      (ends.generation, ends.next, ends.epochs)
    }
    HubPositions(settings.connection.hub, generation, next, epochs)
  }

  /** When the hub was created. Tasks of this JVM that call it at the same time share one question. */
  def sharedGeneration(settings: ReadSettings, checkCancelled: () => Unit): HubGeneration.CreatedAt =
    ExecutorResources.get.generations.run(settings.connection, checkCancelled) {
      val info = new PartitionInfoReader(settings, ExecutorResources.get.clients, new SystemClock)
      try info.client.hubProperties().generation
      finally info.close()
    }

  private def query(settings: ReadSettings): HubSnapshot = {
    val info = new PartitionInfoReader(settings, ExecutorResources.get.clients, new SystemClock)
    try info.snapshot()
    finally info.close()
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
