package org.apache.spark.sql.eventhubs.exactlyonce

import org.apache.spark.eventhubs.amqp.{OutgoingBody, ReceivedEvent}
import org.apache.spark.eventhubs.executor.ExecutorResources
import org.apache.spark.eventhubs.options.{ReadMode, ReadSettings}
import org.apache.spark.eventhubs.rdd.{EventConverter, OffsetRange}
import org.apache.spark.eventhubs.{EventHubName, EventPosition}
import org.apache.spark.sql.eventhubs.planning.{HubSnapshot, PartitionInfoReader}
import org.apache.spark.sql.eventhubs.sink.{Fingerprint, WriteName}
import org.apache.spark.util.SystemClock

/** Reading a hub that is written to, over the connector's own path of reading. */
private[eventhubs] object ReadBack {

  /** What a query reads with `options`, without what says where and how much: all events of all partitions count. */
  def settings(options: Map[String, String]): ReadSettings =
    ReadSettings.parse(options, ReadMode.Batch).copy(
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

  /** Where the partitions end now, and the first event that each retains. */
  def now(settings: ReadSettings): (HubPositions, Map[Int, Long]) = {
    val snapshot = ask(settings)
    val earliest = snapshot.bounds.map { case (partition, bounds) => partition -> bounds.earliest }
    (HubPositions.of(settings.connection.hub, snapshot), earliest)
  }

  /** Where the partitions end, asked for after this call; all tasks of this JVM that want to know it at the same time ask once. */
  def endsForAll(settings: ReadSettings, checkCancelled: () => Unit): HubPositions = {
    val (generation, bounds) = ExecutorResources.get.hubStates.run(settings.connection, checkCancelled) {
      val snapshot = ask(settings)
      (snapshot.generation, snapshot.bounds)
    }
    HubPositions.of(settings.connection.hub, HubSnapshot(generation, bounds))
  }

  private def ask(settings: ReadSettings): HubSnapshot = {
    val info = new PartitionInfoReader(settings, ExecutorResources.get.clients, new SystemClock)
    try info.snapshot()
    finally info.close()
  }
}

/** The fingerprints of the events of one batch; None for all others. */
private[eventhubs] final case class FingerprintsOf(name: WriteName, hub: EventHubName)
    extends EventConverter[Option[Fingerprint]] {

  override def open(range: OffsetRange): ReceivedEvent => Option[Fingerprint] =
    event =>
      EventStamp.of(event, name, hub).map(stamp => Fingerprint.whole(OutgoingBody(event.body), stamp.beside))
}
