package localhub.node

import java.time.{Clock, Instant}
import java.util.Locale
import java.util.concurrent.ConcurrentHashMap

import scala.jdk.CollectionConverters._

import localhub.log.{MemoryLog, PartitionLog}

/** The event hubs of one local namespace, by name without regard to case. Safe for use by many threads. */
final class Namespace(clock: Clock, newLog: (String, Int) => PartitionLog) extends AutoCloseable {

  private val hubs = new ConcurrentHashMap[String, EventHub]

  def find(name: String): Option[EventHub] = Option(hubs.get(key(name)))

  def all: Seq[EventHub] = hubs.values.asScala.toSeq.sortBy(_.name)

  /** Creates the hub; when it is there already, it is left as it is and None is returned. */
  def create(name: String, partitions: Int, consumerGroups: Set[String] = Set.empty): Option[EventHub] = {
    var created = Option.empty[EventHub]
    hubs.computeIfAbsent(
      key(name),
      _ => {
        val hub = EventHub(name, Instant.now(clock), (0 until partitions).map(newLog(name, _)), consumerGroups)
        created = Some(hub)
        hub
      })
    created
  }

  /** Deletes the hub with its events; its readers and writers are told through [[EventHub.onDelete]]. */
  def delete(name: String): Boolean = Option(hubs.remove(key(name))) match {
    case Some(hub) =>
      hub.delete()
      true
    case None => false
  }

  override def close(): Unit = hubs.values.forEach(_.partitions.foreach(_.close()))

  private def key(name: String): String = name.toLowerCase(Locale.ROOT)
}

object Namespace {
  def inMemory(clock: Clock): Namespace = new Namespace(clock, (_, _) => new MemoryLog(clock))
}
