package org.apache.spark.sql.eventhubs.hubs

import org.apache.spark.eventhubs.connection.{ClientConnectionPool, EndpointProbe}
import org.apache.spark.eventhubs.executor.KnownHubs
import org.apache.spark.eventhubs.options.ReadSettings
import org.apache.spark.eventhubs.ownership.{GroupOwnership, QueryOwnership}
import org.apache.spark.eventhubs.rdd.ReadAccumulator
import org.apache.spark.eventhubs.{DataLossPolicy, EventHubsErrors, EventPosition, NameAndPartition}
import org.apache.spark.sql.eventhubs.EventHubsSourceOffset
import org.apache.spark.sql.eventhubs.planning.{
  HubIdentityFile,
  HubIdentityTracker,
  HubPlanner,
  PartitionInfoReader,
  PositionResolver,
  ReadinessCheck
}
import org.apache.spark.util.Clock

/**
 * What the driver keeps open for one hub of a query. To create it asks the service nothing.
 *
 * @param settings of this hub
 * @param known    the hubs of this JVM
 * @param owning   None where the query does not own its partitions
 */
private[hubs] final class OpenHub(
    settings: ReadSettings,
    file: HubIdentityFile,
    metadataPath: String,
    start: QueryStart,
    totals: ReadAccumulator,
    clients: ClientConnectionPool,
    known: KnownHubs,
    clock: Clock,
    owning: Option[QueryOwnership]
) extends AutoCloseable {

  val name: String = settings.connection.hub.name

  private val info = new PartitionInfoReader(settings, clients, known, clock)

  val policy: DataLossPolicy = new DataLossPolicy(
    settings.connection.hub,
    settings.consumerGroup,
    settings.failOnDataLoss,
    totals.addLost(name, _),
    totals.addExpiredAtStart
  )

  private val identities =
    try new HubIdentityTracker(file, metadataPath, settings.connection.hub)
    catch {
      case failed: Throwable =>
        info.close()
        throw failed
    }

  /** None where the query does not own its partitions. */
  val ownership: Option[GroupOwnership] =
    try owning.map(_.ofHub(settings))
    catch {
      case failed: Throwable =>
        info.close()
        throw failed
    }

  val planner: HubPlanner = new HubPlanner(
    settings,
    info,
    new HubStart(name, start, identities),
    identities,
    new PositionResolver(startSettings, info.client, policy),
    policy,
    ownership,
    partition => totals.value.lastEnqueued.contains(NameAndPartition(name, partition))
  )

  /** Whether the checkpoint has positions of this hub. */
  def hasBeenRead: Boolean = start.includes(name) || identities.startsAt.nonEmpty

  /** Fails when the service cannot be reached or does not have the hub. */
  def checkExists(): Unit = {
    EndpointProbe.check(settings.connection)
    info.snapshot()
    ()
  }

  /** Whether the hub exists, the consumer group too, and the query may read it. */
  def checkReadiness(): Unit = ReadinessCheck(info, settings)

  /**
   * The partitions that the query reads now, also those that one answer leaves out: of its first offset, or that joined
   * since. An uncommitted batch may read them again before the next claim.
   */
  def partitions: Set[Int] =
    start.offset.filter(_.of(name).nonEmpty).fold(info.snapshot().bounds.keySet) { first =>
      planner.partitions(first.only(name))
    } ++ identities.joinedAt.keySet.filter(partition => settings.partitions.forall(_(partition)))

  /**
   * This hub's part of an offset. A hub that the query has not read yet begins at its first offset. All offsets have
   * the hubs of the query's first offset, so one without such a hub is another query's.
   */
  def partOf(offset: EventHubsSourceOffset): EventHubsSourceOffset =
    if (offset.of(name).nonEmpty) offset.only(name)
    else if (!start.includes(name)) planner.initialOffset
    else throw EventHubsErrors.otherOffsets(metadataPath, offset.sequenceNumbers.keys, settings.connection.hub)

  /** Gives the driver's connection to the hub back until the hub is asked about again. */
  def disconnect(): Unit = info.disconnect()

  /** Releases the partitions: their next owner continues at the checkpoints in the store. */
  override def close(): Unit =
    try ownership.foreach(_.close())
    finally info.close()

  /** A hub that a running query begins to read starts at its first event, as a new partition of Kafka does. */
  private def startSettings: ReadSettings =
    if (start.offset.isEmpty || start.includes(name)) settings
    else settings.copy(startingPosition = EventPosition.StartOfStream)
}
