package localhub.namespace

import localhub.log.PartitionLog

/** A storage that gives each partition a given log, by partition number. */
final class StubHubStorage(log: Int => PartitionLog) extends HubStorage {
  override def stored: Seq[StoredHub] = Nil
  override def save(hub: StoredHub): Unit = ()
  override def openLog(hub: StoredHub, partition: Int): PartitionLog = log(partition)
  override def replace(old: StoredHub, by: StoredHub): Runnable = () => ()
  override def remove(hub: StoredHub): Unit = ()
  override def close(): Unit = ()
}
