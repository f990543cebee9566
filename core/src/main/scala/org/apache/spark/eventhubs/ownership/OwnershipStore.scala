package org.apache.spark.eventhubs.ownership

/**
 * Who owns a partition of a consumer group, as the store has it.
 *
 * @param ownerId   empty when the last owner has released the partition
 * @param etag      changes with each write of any owner
 * @param ageMillis time since the last claim or renewal, by the store's clock
 */
private[spark] final case class PartitionOwnership(partitionId: Int, ownerId: String, etag: String, ageMillis: Long)

/** The ownership of the partitions of one hub and consumer group. Each call asks the store. */
private[spark] trait OwnershipStore {

  /**
   * Partitions that have, or had, an owner.
   *
   * @throws org.apache.spark.eventhubs.EventHubsException EVENTHUBS_OWNERSHIP.MALFORMED for a blob without an owner,
   *         and EVENTHUBS_CHECKPOINT_STORE.* when the store cannot be read
   */
  def list(): Seq[PartitionOwnership]

  /**
   * Makes `ownerId` the owner, unless another one has written since.
   *
   * @param ownerId empty to release the partition
   * @param etag    of the ownership that is replaced; None when the partition has never had an owner
   * @return the new etag; None when the ownership has changed since, or exists already
   */
  def claim(partitionId: Int, ownerId: String, etag: Option[String]): Option[String]
}

/**
 * Names an owner. A query that restarts after its driver was killed recognises the leases of its last run.
 *
 * @param query the same for all runs of a query
 * @param run   different for each run
 */
private[spark] final case class OwnerId(query: String, run: String) {

  val text: String = s"$query/$run"

  /** Whether `other` is this run or another run of the same query. */
  def isSameQuery(other: String): Boolean = other.startsWith(s"$query/")
}
