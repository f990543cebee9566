package localhub.namespace

import localhub.log.PartitionLog

/**
 * A storage that gives each partition a given log, by partition number.
 *
 * @param replacement runs when a hub is replaced, after its logs are closed
 */
final class StubHubStorage(log: Int => PartitionLog, replacement: Runnable = () => ()) extends HubStorage {
  override def stored: Seq[StoredHub] = Nil
  override def save(hub: StoredHub): Unit = ()
  override def openLog(hub: StoredHub, partition: Int): PartitionLog = log(partition)
  override def replace(old: StoredHub, by: StoredHub, closeOld: Runnable): Runnable = {
    closeOld.run()
    replacement.run()
    () => ()
  }
  override def remove(hub: StoredHub): Unit = ()
  override def close(): Unit = ()
}
