package org.apache.spark.sql.eventhubs.planning

import org.apache.spark.eventhubs.connection.{ClientConnectionPool, PartitionBounds}
import org.apache.spark.eventhubs.generation.HubGeneration
import org.apache.spark.eventhubs.options.{EventHubsOption, ReadOptions, ReadSettings}
import org.apache.spark.eventhubs.{EventHubsErrors, EventHubsException}
import org.apache.spark.util.Clock

/**
 * What the hub holds, as of one moment.
 *
 * @param bounds of the partitions that the query reads
 * @param unread the partitions that the hub has and the query does not read
 */
final case class HubSnapshot(
    generation: HubGeneration.CreatedAt,
    bounds: Map[Int, PartitionBounds],
    unread: Set[Int] = Set.empty
) {

  def reaching(nextSeqNos: Map[Int, Long]): HubSnapshot = copy(bounds = bounds.map { case (partition, known) =>
    partition -> known.copy(latest = math.max(known.latest, nextSeqNos.getOrElse(partition, known.latest)))
  })
}

/**
 * The driver's only way to ask the service about partitions. Answers are kept for a moment, so that the calls of one
 * trigger share them, and a hub with many partitions is not asked more often than the service allows.
 */
private[eventhubs] final class PartitionInfoReader(settings: ReadSettings, clients: ClientConnectionPool, clock: Clock)
    extends AutoCloseable {

  import PartitionInfoReader._

  private val lease = clients.borrow(settings.connection, maxConnections = 1)
  private var cached = Option.empty[(Long, HubSnapshot)]

  def client = lease.client

  /** The state of now, or of at most a moment ago. */
  def snapshot(): HubSnapshot = synchronized {
    val now = clock.getTimeMillis()
    val fresh = cached.collect { case (asked, snapshot) if now - asked < freshMillis(snapshot) => snapshot }
    fresh.getOrElse {
      val asked = ask()
      cached = Some((now, asked))
      asked
    }
  }

  /**
   * Takes note of how far partitions of that hub were read: they end there or later, whatever the last answer said. Asking
   * a hub with many partitions takes longer than many a batch.
   */
  def noteReached(generation: HubGeneration, nextSeqNos: Map[Int, Long]): Unit = synchronized {
    cached = cached.map {
      case (asked, snapshot) if snapshot.generation == generation => asked -> snapshot.reaching(nextSeqNos)
      case other => other
    }
  }

  override def close(): Unit = lease.close()

  private def ask(): HubSnapshot = cached.flatMap { case (_, before) => askAtOnce(before) }.getOrElse(askInOrder())

  /** One round trip instead of two, when the hub is still the one that it was; None when it is not. */
  private def askAtOnce(before: HubSnapshot): Option[HubSnapshot] =
    try {
      val (hub, bounds) = client.hubState(before.bounds.keys.toSeq.sorted)
      val isSame =
        hub.generation == before.generation && hub.partitionIds.toSet == before.bounds.keySet ++ before.unread
      Option.when(isSame)(before.copy(bounds = bounds))
    } catch {
      // A hub that was made anew with fewer partitions has not all that were asked for.
      case failed: EventHubsException if !HasTakenLong(failed.getCondition) => None
    }

  private def askInOrder(): HubSnapshot = {
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

  /** One call a partition: all of them may be asked again once the service's allowance has grown by as many. */
  private def freshMillis(snapshot: HubSnapshot): Long =
    if (settings.connection.developmentEmulator) 0L else 1000L * (snapshot.bounds.size + 1) / CallsPerSecond
}

private object PartitionInfoReader {

  /** After these, asking once more would only be more of the same. */
  private val HasTakenLong = Set("EVENTHUBS_TIMEOUT", "EVENTHUBS_UNREACHABLE", "EVENTHUBS_THROTTLED")

  /** The service allows 50 a second, to all queries of the hub together. */
  private val CallsPerSecond = 20
}
