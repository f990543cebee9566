package localhub.namespace

import java.time.{Clock, Instant}

import localhub.log.{CompactableLog, MemoryBudget, MemoryLog, PartitionLog}
import localhub.{HubConfig, LocalHubConfig}

/** What is stored of a hub besides its events. */
private[localhub] final case class StoredHub(config: HubConfig, createdAt: Instant)

/** Storage for the hubs of a namespace. Called under the namespace's lock. */
private[localhub] trait HubStorage extends AutoCloseable {

  /** The hubs that an earlier process stored. */
  def stored: Seq[StoredHub]

  /** Records a new hub, or new settings of a hub. */
  def save(hub: StoredHub): Unit

  /** The stored log of one partition, or an empty one. */
  def openLog(hub: StoredHub, partition: Int): PartitionLog

  /**
   * Replaces a hub by a new, empty one of the same name. After a kill or a failure, one of the two exists.
   *
   * @param closeOld closes the old hub's logs; runs when the new hub is complete, for which the disk may have no space
   * @return deletes the old hub's events
   */
  def replace(old: StoredHub, by: StoredHub, closeOld: Runnable): Runnable

  /** Why nothing can be stored now, for people; None if all is well. */
  def problem: Option[String] = None

  /** Deletes a hub and its events. */
  def remove(hub: StoredHub): Unit
}

private[localhub] object HubStorage {

  def open(config: LocalHubConfig): HubStorage =
    config.dataDir.fold(inMemory(config.clock, config.service.textOffsets))(
      new DataDirectory(_, config.clock, config.fsync)
    )

  def inMemory(clock: Clock, textOffsets: Boolean = false): HubStorage = new HubStorage {
    private val budget = MemoryBudget.ofThisHeap()
    override def stored: Seq[StoredHub] = Nil
    override def save(hub: StoredHub): Unit = ()
    override def openLog(hub: StoredHub, partition: Int): PartitionLog =
      if (hub.config.geoReplication || textOffsets && hub.config.compaction.isEmpty)
        new MemoryLog(clock, budget, isReplicated = true)
      else new CompactableLog(new MemoryLog(clock, budget), file = None)
    override def replace(old: StoredHub, by: StoredHub, closeOld: Runnable): Runnable = {
      closeOld.run()
      () => ()
    }
    override def remove(hub: StoredHub): Unit = ()
    override def close(): Unit = ()
  }
}
