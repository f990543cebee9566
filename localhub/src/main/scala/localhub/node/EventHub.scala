package localhub.node

import java.time.Instant
import java.util.Locale
import java.util.concurrent.ConcurrentHashMap

import localhub.HubConfig
import localhub.log.PartitionLog

/** One event hub: its partitions, ids 0 until n, and its consumer groups. It can grow; a deleted one never comes back. */
final class EventHub private[node] (initial: HubConfig, val createdAt: Instant, logs: IndexedSeq[PartitionLog]) {

  @volatile private var current = EventHub.Shape(initial, logs)
  @volatile private var deleted = false
  private val deletionListeners = ConcurrentHashMap.newKeySet[Runnable]()

  def name: String = initial.name

  def config: HubConfig = current.config

  /** Those of now: a hub that grows gets more of them. */
  def partitions: IndexedSeq[PartitionLog] = current.logs

  def partition(id: String): Option[PartitionLog] = {
    val logs = partitions
    // "01" and "+1" are numbers, and no partition ids.
    id.toIntOption.filter(number => logs.indices.contains(number) && number.toString == id).map(logs(_))
  }

  /** As they were named, `\$Default` first. */
  def consumerGroups: Seq[String] =
    EventHub.DefaultConsumerGroup +: config.consumerGroups.toSeq
      .filterNot(_.equalsIgnoreCase(EventHub.DefaultConsumerGroup)).sorted

  def hasConsumerGroup(group: String): Boolean = config.groupKeys.contains(group.toLowerCase(Locale.ROOT))

  /** Runs `listener` once, when the hub is deleted, or now if it was. */
  def onDelete(listener: Runnable): AutoCloseable = {
    deletionListeners.add(listener)
    if (deleted) tell(listener)
    () => { deletionListeners.remove(listener); () }
  }

  /** Removes the events of a partition before `sequenceNumber`, as if they were too old; false when there is no such partition. */
  def expire(id: String, sequenceNumber: Long): Boolean = {
    val log = partition(id)
    log.foreach(_.trimBefore(sequenceNumber))
    log.isDefined
  }

  private[node] def become(config: HubConfig, added: IndexedSeq[PartitionLog]): Unit =
    current = EventHub.Shape(config, partitions ++ added)

  private[node] def delete(): Unit = {
    tellDeleted()
    close()
  }

  /** From here on nothing is stored or read; the clients are not told by this. */
  private[node] def close(): Unit = partitions.foreach(_.close())

  private[node] def tellDeleted(): Unit = {
    deleted = true
    deletionListeners.forEach(tell(_))
  }

  // Whoever takes it off the list runs it.
  private def tell(listener: Runnable): Unit = if (deletionListeners.remove(listener)) listener.run()
}

object EventHub {
  val DefaultConsumerGroup: String = HubConfig.DefaultConsumerGroup

  /** Swapped as one, so that a reader never sees a new partition count with the old logs. */
  private final case class Shape(config: HubConfig, logs: IndexedSeq[PartitionLog])
}
