package localhub.node

import java.time.{Clock, Instant}

import localhub.log.{MemoryBudget, MemoryLog, PartitionLog}
import localhub.{HubConfig, LocalHubConfig}

/** What is kept of a hub beside its events. */
final case class StoredHub(config: HubConfig, createdAt: Instant)

/** Where a namespace keeps its hubs. Called under the namespace's lock. */
trait HubStorage extends AutoCloseable {

  /** The hubs that were there before this process. */
  def stored: Seq[StoredHub]

  /** Records a new hub, or the new shape of one. */
  def save(hub: StoredHub): Unit

  /** The log of one partition, as it was left, else empty. */
  def openLog(hub: StoredHub, partition: Int): PartitionLog

  /**
   * Puts a new, empty hub in the place of one that has the same name, whose logs are closed: a process that is killed
   * meanwhile leaves the one or the other.
   *
   * @return gives back the space that the events of the old one take
   */
  def replace(old: StoredHub, by: StoredHub): Runnable

  /** Forgets a hub and its events. */
  def remove(hub: StoredHub): Unit
}

object HubStorage {

  def open(config: LocalHubConfig): HubStorage =
    config.dataDir.fold(inMemory(config.clock))(new DataDirectory(_, config.clock, config.fsync))

  def inMemory(clock: Clock): HubStorage = new HubStorage {
    private val budget = MemoryBudget.ofThisHeap()
    override def stored: Seq[StoredHub] = Nil
    override def save(hub: StoredHub): Unit = ()
    override def openLog(hub: StoredHub, partition: Int): PartitionLog = new MemoryLog(clock, budget)
    override def replace(old: StoredHub, by: StoredHub): Runnable = () => ()
    override def remove(hub: StoredHub): Unit = ()
    override def close(): Unit = ()
  }
}
