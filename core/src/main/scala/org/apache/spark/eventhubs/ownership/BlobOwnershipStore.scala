package org.apache.spark.eventhubs.ownership

import java.util.Locale

import org.apache.spark.eventhubs.blob.{BlobStore, StoredBlob, WriteCondition, WriteOutcome}
import org.apache.spark.eventhubs.{EventHubName, EventHubsErrors}

/**
 * Ownership in the layout of the Azure SDKs' BlobCheckpointStore: one empty blob for each partition, with the owner in
 * its metadata. The age of a blob is by the store's clock alone: a machine whose clock is ahead would take partitions
 * from a live owner.
 */
private[spark] final class BlobOwnershipStore(store: BlobStore, hub: EventHubName, consumerGroup: String)
    extends OwnershipStore {

  import BlobOwnershipStore._

  private val prefix = s"${hub.namespace}/${hub.name}/$consumerGroup/ownership/".toLowerCase(Locale.ROOT)

  override def list(): Seq[PartitionOwnership] = for {
    blob <- store.list(prefix)
    partition <- blob.name.stripPrefix(prefix).toIntOption
  } yield PartitionOwnership(partition, owner(blob), blob.etag, blob.ageMillis)

  override def claim(partitionId: Int, ownerId: String, etag: Option[String]): Option[String] = {
    val blob = s"$prefix$partitionId"
    val metadata = Map(Owner -> ownerId)
    val outcome = etag match {
      case None => store.upload(blob, BlobStore.NoContent, metadata, WriteCondition.IfAbsent)
      case Some(known) => store.setMetadata(blob, metadata, WriteCondition.IfUnchanged(known))
    }
    outcome match {
      case WriteOutcome.Written(written, _) => Some(written)
      case WriteOutcome.ConditionNotMet | WriteOutcome.NoSuchBlob => None
    }
  }

  private def owner(blob: StoredBlob): String = blob.metadata.getOrElse(
    Owner,
    // A processor would take no partition or fail here, depending on its SDK.
    throw EventHubsErrors.malformedOwnership(store.name, blob.name, s"it has no metadata '$Owner'")
  )
}

private object BlobOwnershipStore {
  private val Owner = "ownerid"
}
