package localhub.node

import java.time.Instant
import java.util.Locale
import java.util.concurrent.CopyOnWriteArrayList

import localhub.log.PartitionLog

/** One event hub: its partitions, ids 0 until n, and its consumer groups. `\$Default` is always a group of it. */
final case class EventHub(name: String, createdAt: Instant, partitions: IndexedSeq[PartitionLog], consumerGroups: Set[String]) {

  private val deletionListeners = new CopyOnWriteArrayList[Runnable]
  private val groups = (consumerGroups + EventHub.DefaultConsumerGroup).map(_.toLowerCase(Locale.ROOT))

  def hasConsumerGroup(group: String): Boolean = groups.contains(group.toLowerCase(Locale.ROOT))

  def partition(id: String): Option[PartitionLog] = id.toIntOption.filter(partitions.indices.contains).map(partitions(_))

  /** Runs `listener` when the hub is deleted. */
  def onDelete(listener: Runnable): AutoCloseable = {
    deletionListeners.add(listener)
    () => { deletionListeners.remove(listener); () }
  }

  private[node] def delete(): Unit = {
    deletionListeners.forEach(_.run())
    partitions.foreach(_.close())
  }
}

object EventHub {
  val DefaultConsumerGroup = "$Default"
}
