package localhub.namespace

import java.time.Instant
import java.util.Locale
import java.util.concurrent.ConcurrentHashMap

import scala.util.{Failure, Try}

import localhub.log.{LogEntry, PartitionLog}
import localhub.{HubConfig, InvalidHubException}

/**
 * One event hub: its partitions, ids 0 until n, and its consumer groups. It can grow. Recreating it makes a new object.
 */
final class EventHub private[namespace] (initial: HubConfig, val createdAt: Instant, logs: IndexedSeq[PartitionLog]) {

  @volatile private var current = EventHub.State(initial, logs)
  @volatile private var deleted = false
  private val deletionListeners = ConcurrentHashMap.newKeySet[Runnable]()
  private val promotionListeners = ConcurrentHashMap.newKeySet[Runnable]()

  def name: String = initial.name

  def config: HubConfig = current.config

  /** The current partitions; their number can grow. */
  def partitions: IndexedSeq[PartitionLog] = current.logs

  def partition(id: String): Option[PartitionLog] = {
    val logs = partitions
    // "01" and "+1" are numbers, but not partition ids.
    id.toIntOption.filter(number => logs.indices.contains(number) && number.toString == id).map(logs(_))
  }

  /** Names as given, `\$Default` first. */
  def consumerGroups: Seq[String] =
    EventHub.DefaultConsumerGroup +: config.consumerGroups.toSeq
      .filterNot(_.equalsIgnoreCase(EventHub.DefaultConsumerGroup)).sorted

  def hasConsumerGroup(group: String): Boolean = config.groupKeys.contains(group.toLowerCase(Locale.ROOT))

  /** Runs `listener` once: when the hub is deleted, or now if it already is. */
  def onDelete(listener: Runnable): AutoCloseable = {
    deletionListeners.add(listener)
    if (deleted) runOnce(listener)
    () => { deletionListeners.remove(listener); () }
  }

  /** Removes a partition's events before `sequenceNumber`, as retention does; false when there is no such partition. */
  def expire(id: String, sequenceNumber: Long): Boolean = {
    val log = partition(id)
    log.foreach(_.trimBefore(sequenceNumber))
    log.isDefined
  }

  /** Runs `listener` each time a secondary region is promoted. */
  def onPromotion(listener: Runnable): AutoCloseable = {
    promotionListeners.add(listener)
    () => { promotionListeners.remove(listener); () }
  }

  /**
   * Continues as the promoted secondary region of a geo-replicated hub does, and disconnects its clients.
   *
   * @param unreplicated how many of the newest events the secondary does not have, in each partition or in one
   * @throws InvalidHubException when the hub is not geo-replicated
   */
  def promote(unreplicated: Long, partitionId: Option[String] = None): Unit = {
    if (!config.geoReplication)
      throw new InvalidHubException(s"The event hub '$name' is not geo-replicated, so nothing can be promoted.")
    partitions.zipWithIndex.foreach { case (log, id) =>
      log.promote(if (partitionId.forall(_ == id.toString)) unreplicated else 0L)
    }
    promotionListeners.forEach(_.run())
  }

  /**
   * Compacts a partition now, whatever the hub's policy is; false when there is no such partition.
   *
   * @param before           the first event of the active tail; None compacts all events
   * @param removeTombstones whether tombstones are removed too, as after their time
   */
  private[localhub] def compact(
      id: String,
      before: Option[Long],
      removeTombstones: Boolean,
      keyOf: LogEntry => CompactionKey
  ): Boolean = {
    val log = partition(id)
    val tombstoneMillis = if (removeTombstones) Long.MaxValue else Long.MinValue
    log.foreach(CompactionRule.compact(_, before.getOrElse(Long.MaxValue), tombstoneMillis, keyOf))
    log.isDefined
  }

  private[namespace] def reconfigure(config: HubConfig, added: IndexedSeq[PartitionLog]): Unit =
    current = EventHub.State(config, partitions ++ added)

  private[namespace] def delete(): Unit = {
    notifyDeleted()
    close()
  }

  /** Stops appends and reads, of every partition also when one fails to close. Does not notify clients. */
  private[namespace] def close(): Unit =
    partitions.map(log => Try(log.close())).collectFirst { case Failure(reason) => reason }.foreach(throw _)

  private[namespace] def notifyDeleted(): Unit = {
    deleted = true
    deletionListeners.forEach(runOnce(_))
  }

  // Only the thread that removes a listener runs it, so it runs once.
  private def runOnce(listener: Runnable): Unit = if (deletionListeners.remove(listener)) listener.run()
}

object EventHub {
  val DefaultConsumerGroup: String = HubConfig.DefaultConsumerGroup

  /** Replaced as a whole, so that a reader never sees a new partition count with the old logs. */
  private final case class State(config: HubConfig, logs: IndexedSeq[PartitionLog])
}
