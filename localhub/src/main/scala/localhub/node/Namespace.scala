package localhub.node

import java.time.{Clock, Instant}
import java.util.Locale
import java.util.concurrent.ConcurrentHashMap

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import org.slf4j.LoggerFactory

import localhub.{HubConfig, Retention}

/** The event hubs of one local namespace, by name without regard to case. Safe for use by many threads. */
final class Namespace(clock: Clock, storage: HubStorage) extends AutoCloseable {

  private val log = LoggerFactory.getLogger(getClass)

  // Lookups need no lock; whatever changes the set of hubs or the shape of one holds it.
  private val hubs = new ConcurrentHashMap[String, EventHub]
  private var shapeListeners = Vector.empty[EventHub => Unit]

  try storage.stored.foreach(stored => open(stored))
  catch {
    case failure: Throwable =>
      close()
      throw failure
  }

  def find(name: String): Option[EventHub] = Option(hubs.get(key(name)))

  def all: Seq[EventHub] = hubs.values.asScala.toSeq.sortBy(_.name)

  /** Tells `listener` of every hub: now, and when one is created or gets another shape. It must be quick, and call nothing here. */
  def onShape(listener: EventHub => Unit): Unit = synchronized {
    shapeListeners :+= listener
    all.foreach(listener)
  }

  /** Creates the hub; when it is there already, it is left as it is and None is returned. */
  def create(config: HubConfig): Option[EventHub] = synchronized {
    if (hubs.containsKey(key(config.name))) None else Some(add(config))
  }

  def create(name: String, partitions: Int, consumerGroups: Set[String] = Set.empty): Option[EventHub] =
    create(HubConfig(name, partitions, consumerGroups))

  /** Creates the hub, or gives the existing one what it lacks; it never takes partitions or groups away. */
  def ensure(wanted: HubConfig): Ensured = synchronized {
    find(wanted.name) match {
      case None => Ensured.Created(add(wanted))
      case Some(hub) if wanted.partitions < hub.config.partitions =>
        Ensured.Refused(
          hub,
          s"The event hub '${hub.name}' has ${hub.config.partitions} partitions, and partitions cannot be taken away; " +
            s"${wanted.partitions} were asked for. Ask for at least ${hub.config.partitions}, or delete the hub first."
        )
      case Some(hub) =>
        val config = hub.config.grownTo(wanted)
        if (config == hub.config) Ensured.Unchanged(hub) else Ensured.Changed(change(hub, config))
    }
  }

  /** Gives the hub these limits instead of those it has; None if there is no such hub. */
  def changeLimits(name: String, retention: Retention, throughputUnits: Option[Int]): Option[EventHub] = synchronized {
    find(name).map(hub => change(hub, hub.config.withLimits(retention, throughputUnits)))
  }

  /** Deletes the hub with its events; its readers and writers are told through [[EventHub.onDelete]]. */
  def delete(name: String): Boolean = synchronized {
    Option(hubs.remove(key(name))) match {
      case Some(hub) =>
        hub.delete()
        storage.remove(stored(hub))
        true
      case None => false
    }
  }

  /**
   * Puts an empty hub of the same shape in the place of this one, in one step: its clients are told when the new one is there.
   * None if there is no hub of this name.
   */
  def recreate(name: String): Option[EventHub] = synchronized {
    find(name).map { old =>
      old.close()
      val anew = StoredHub(old.config, Instant.now(clock))
      val clearUp = storage.replace(stored(old), anew)
      val hub = open(anew)
      old.tellDeleted()
      clearUp.run()
      hub
    }
  }

  /** Removes the events that the hub need not keep any longer, of each partition where that can be done. */
  def applyRetention(hub: EventHub): Unit = {
    val retention = hub.config.retention
    hub.partitions.zipWithIndex.foreach { case (partition, id) =>
      try RetentionRule(partition, retention, clock.millis())
      catch {
        case NonFatal(failure) =>
          log.error(s"Retention of ${hub.name}/$id could not be applied; it is tried again", failure)
      }
    }
  }

  override def close(): Unit = synchronized {
    try hubs.values.forEach(_.partitions.foreach(_.close()))
    finally storage.close()
  }

  private def add(config: HubConfig): EventHub = {
    val stored = StoredHub(config, Instant.now(clock))
    storage.save(stored)
    open(stored)
  }

  private def open(stored: StoredHub): EventHub = {
    val logs = (0 until stored.config.partitions).map(storage.openLog(stored, _))
    val hub = new EventHub(stored.config, stored.createdAt, logs)
    hubs.put(key(hub.name), hub)
    shapeListeners.foreach(_.apply(hub))
    hub
  }

  private def change(hub: EventHub, config: HubConfig): EventHub = {
    val changed = StoredHub(config, hub.createdAt)
    storage.save(changed)
    hub.become(config, (hub.config.partitions until config.partitions).map(storage.openLog(changed, _)))
    shapeListeners.foreach(_.apply(hub))
    hub
  }

  private def stored(hub: EventHub): StoredHub = StoredHub(hub.config, hub.createdAt)

  private def key(name: String): String = Namespace.key(name)
}

object Namespace {

  /** Hub names are compared without regard to case. */
  private[node] def key(name: String): String = name.toLowerCase(Locale.ROOT)

  def inMemory(clock: Clock): Namespace = new Namespace(clock, HubStorage.inMemory(clock))
}
