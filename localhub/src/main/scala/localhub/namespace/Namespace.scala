package localhub.namespace

import java.time.{Clock, Instant}
import java.util.Locale
import java.util.concurrent.ConcurrentHashMap

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import org.slf4j.LoggerFactory

import localhub.{HubConfig, Retention}

/** The event hubs of one local namespace by name; upper and lower case are equal. Thread-safe. */
final class Namespace private[localhub] (clock: Clock, storage: HubStorage) extends AutoCloseable {

  private val log = LoggerFactory.getLogger(getClass)

  // Lookups take no lock. Changes to the set of hubs or to a hub's settings take it.
  private val hubs = new ConcurrentHashMap[String, EventHub]
  private var hubListeners = Vector.empty[EventHub => Unit]

  try storage.stored.foreach(stored => open(stored))
  catch {
    case failure: Throwable =>
      close()
      throw failure
  }

  def find(name: String): Option[EventHub] = Option(hubs.get(key(name)))

  def all: Seq[EventHub] = hubs.values.asScala.toSeq.sortBy(_.name)

  /**
   * Calls `listener` for every hub: now, and when one is created or changed. It must be fast and not call this
   * namespace.
   */
  def onHubUpdate(listener: EventHub => Unit): Unit = synchronized {
    hubListeners :+= listener
    all.foreach(listener)
  }

  /** Creates the hub; None, and no change, when it exists. */
  def create(config: HubConfig): Option[EventHub] = synchronized {
    if (hubs.containsKey(key(config.name))) None else Some(add(config))
  }

  def create(name: String, partitions: Int, consumerGroups: Set[String] = Set.empty): Option[EventHub] =
    create(HubConfig(name, partitions, consumerGroups))

  /** Creates the hub, or adds what the existing one lacks. Never removes partitions or groups. */
  def ensure(wanted: HubConfig): EnsureResult = synchronized {
    find(wanted.name) match {
      case None => EnsureResult.Created(add(wanted))
      case Some(hub) if wanted.partitions < hub.config.partitions =>
        EnsureResult.Refused(
          hub,
          s"The event hub '${hub.name}' has ${hub.config.partitions} partitions, and partitions cannot be removed; " +
            s"${wanted.partitions} were asked for. Ask for at least ${hub.config.partitions}, or delete the hub first."
        )
      case Some(hub) if wanted.geoReplication && !hub.config.geoReplication =>
        EnsureResult.Refused(
          hub,
          s"The event hub '${hub.name}' is not geo-replicated, which cannot be changed. Delete the hub first."
        )
      case Some(hub) =>
        val config = hub.config.mergedWith(wanted)
        if (config == hub.config) EnsureResult.Unchanged(hub) else EnsureResult.Changed(change(hub, config))
    }
  }

  /** Replaces the hub's limits; None if there is no such hub. */
  def changeLimits(name: String, retention: Retention, throughputUnits: Option[Int]): Option[EventHub] = synchronized {
    find(name).map(hub => change(hub, hub.config.withLimits(retention, throughputUnits)))
  }

  /** Stops the hub's compaction; None if there is no such hub. Events that are gone stay gone. */
  def stopCompaction(name: String): Option[EventHub] = synchronized {
    find(name).map(hub => change(hub, hub.config.withoutCompaction))
  }

  /** Deletes the hub with its events and runs its [[EventHub.onDelete]] listeners. */
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
   * Replaces this hub by an empty one with the same settings, in one step. Listeners run when the new one exists.
   * None if there is no hub of this name.
   */
  def recreate(name: String): Option[EventHub] = synchronized {
    find(name).map { old =>
      val fresh = StoredHub(old.config, Instant.now(clock))
      val deleteOld = replace(old, fresh)
      val hub = open(fresh)
      old.notifyDeleted()
      deleteOld.run()
      hub
    }
  }

  private def replace(old: EventHub, fresh: StoredHub): Runnable = {
    var isClosed = false
    def close(): Unit = {
      isClosed = true
      old.close()
    }
    try storage.replace(stored(old), fresh, () => close())
    catch {
      case failure: Throwable =>
        if (isClosed) {
          open(stored(old))
          // The clients' links have the closed logs.
          old.notifyDeleted()
        }
        throw failure
    }
  }

  /** Removes expired events; a failure in one partition does not stop the others. */
  def applyRetention(hub: EventHub): Unit = {
    val retention = hub.config.retention
    hub.partitions.zipWithIndex.foreach { case (partition, id) =>
      try RetentionRule(partition, retention, clock.millis())
      catch {
        case NonFatal(failure) =>
          log.error(s"Retention of ${hub.name}/$id could not be applied; trying again", failure)
      }
    }
  }

  /** Why events cannot be stored now, for people; None if all is well. */
  def problem: Option[String] =
    storage.problem.orElse(all.iterator.flatMap(_.partitions).flatMap(_.problem).nextOption())

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
    hubListeners.foreach(_.apply(hub))
    hub
  }

  private def change(hub: EventHub, config: HubConfig): EventHub = {
    val changed = StoredHub(config, hub.createdAt)
    storage.save(changed)
    hub.reconfigure(config, (hub.config.partitions until config.partitions).map(storage.openLog(changed, _)))
    hubListeners.foreach(_.apply(hub))
    hub
  }

  private def stored(hub: EventHub): StoredHub = StoredHub(hub.config, hub.createdAt)

  private def key(name: String): String = Namespace.key(name)
}

object Namespace {

  /** Upper and lower case are equal in hub names. */
  private[namespace] def key(name: String): String = name.toLowerCase(Locale.ROOT)

  def inMemory(clock: Clock): Namespace = new Namespace(clock, HubStorage.inMemory(clock))
}
