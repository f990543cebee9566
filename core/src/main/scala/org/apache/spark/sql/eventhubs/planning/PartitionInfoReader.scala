package org.apache.spark.sql.eventhubs.planning

import org.apache.spark.eventhubs.connection.{ClientConnectionPool, PartitionBounds}
import org.apache.spark.eventhubs.generation.HubGeneration
import org.apache.spark.eventhubs.options.{EventHubsOption, ReadOptions, ReadSettings}
import org.apache.spark.eventhubs.{EventHubsErrors, EventHubsException}
import org.apache.spark.util.Clock

/**
 * The state of a hub at one moment.
 *
 * @param bounds of the partitions that the query reads
 * @param unread partitions of the hub that the query does not read
 */
private[eventhubs] final case class HubSnapshot(
    generation: HubGeneration.CreatedAt,
    bounds: Map[Int, PartitionBounds],
    unread: Set[Int] = Set.empty
) {

  /** The same with later ends, where `nextSeqNos` has them. */
  def withEnds(nextSeqNos: Map[Int, Long]): HubSnapshot = copy(bounds = bounds.map { case (partition, known) =>
    partition -> known.copy(latest = math.max(known.latest, nextSeqNos.getOrElse(partition, known.latest)))
  })
}

/**
 * The driver's only way to query the service about partitions. Answers are cached briefly: the calls of one trigger
 * share them, and a hub with many partitions is not queried more often than the service allows.
 */
private[eventhubs] final class PartitionInfoReader(settings: ReadSettings, clients: ClientConnectionPool, clock: Clock)
    extends AutoCloseable {

  import PartitionInfoReader._

  private val lease = clients.borrow(settings.connection, maxConnections = 1)
  private var cached = Option.empty[(Long, HubSnapshot)]

  def client = lease.client

  /** The hub's state, from the cache or from the service. */
  def snapshot(): HubSnapshot = synchronized {
    val now = clock.getTimeMillis()
    val fresh = cached.collect { case (queried, snapshot) if now - queried < freshMillis(snapshot) => snapshot }
    fresh.getOrElse {
      val queried = query()
      cached = Some((now, queried))
      queried
    }
  }

  /**
   * Moves the cached ends to where tasks have read, because the cached answer may be older. A query of all partitions
   * of a large hub can take longer than a batch.
   */
  def raiseEnds(generation: HubGeneration, nextSeqNos: Map[Int, Long]): Unit = synchronized {
    cached = cached.map {
      case (queried, snapshot) if snapshot.generation == generation => queried -> snapshot.withEnds(nextSeqNos)
      case other => other
    }
  }

  override def close(): Unit = lease.close()

  private def query(): HubSnapshot =
    cached.flatMap { case (_, before) => queryKnown(before) }.getOrElse(queryHubThenPartitions())

  /** One round trip instead of two. None when the hub or its partitions have changed. */
  private def queryKnown(before: HubSnapshot): Option[HubSnapshot] =
    try {
      val (hub, bounds) = client.hubState(before.bounds.keys.toSeq.sorted)
      val isSame =
        hub.generation == before.generation && hub.partitionIds.toSet == before.bounds.keySet ++ before.unread
      Option.when(isSame)(before.copy(bounds = bounds))
    } catch {
      // A hub that was recreated with fewer partitions lacks some of those queried.
      case failed: EventHubsException if !IsSlow(failed.getCondition) => None
    }

  private def queryHubThenPartitions(): HubSnapshot = {
    val hub = client.hubProperties()
    val read = wanted(hub.partitionIds)
    HubSnapshot(hub.generation, client.partitionBounds(read), hub.partitionIds.toSet -- read)
  }

  private def wanted(existing: Seq[Int]): Seq[Int] = {
    requireExist(ReadOptions.StartingPositions, settings.startingPositions.keySet, existing)
    requireExist(ReadOptions.EndingPositions, settings.endingPositions.keySet, existing)
    settings.partitions.fold(existing) { chosen =>
      requireExist(ReadOptions.Partitions, chosen, existing)
      existing.filter(chosen)
    }
  }

  private def requireExist(option: EventHubsOption[_], named: Set[Int], existing: Seq[Int]): Unit =
    if (!named.subsetOf(existing.toSet))
      throw EventHubsErrors.invalidOption(
        option.key,
        named.toSeq.sorted.mkString(","),
        s"ids among ${existing.min} to ${existing.max}, the partitions of ${settings.connection.hub}"
      )

  /**
   * A snapshot costs one call for each partition and one for the hub. It is kept until the rate limit allows as many.
   */
  private def freshMillis(snapshot: HubSnapshot): Long =
    if (settings.connection.developmentEmulator) 0L else 1000L * (snapshot.bounds.size + 1) / CallsPerSecond
}

private object PartitionInfoReader {

  /** After these failures a second query would only wait again. */
  private val IsSlow = Set("EVENTHUBS_TIMEOUT", "EVENTHUBS_UNREACHABLE", "EVENTHUBS_THROTTLED")

  /** The service allows 50 a second for all queries of the hub together. */
  private val CallsPerSecond = 20
}
