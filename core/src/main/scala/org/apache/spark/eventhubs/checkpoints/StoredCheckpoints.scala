package org.apache.spark.eventhubs.checkpoints

import org.apache.spark.eventhubs.blob.{BlobErrors, BlobStore, StoredBlob}
import org.apache.spark.eventhubs.options.ReadSettings
import org.apache.spark.internal.Logging

/** Reads the checkpoints of one consumer group, in each layout that processors of Event Hubs use. */
private[spark] object StoredCheckpoints extends Logging {

  /**
   * By partition; partitions without a checkpoint are missing. Empty without a store.
   *
   * @throws org.apache.spark.eventhubs.EventHubsException EVENTHUBS_CHECKPOINT_STORE.*, also for a blob that is no
   *         checkpoint
   */
  def read(settings: ReadSettings): Map[Int, StoredCheckpoint] =
    settings.checkpointStore.fold(Map.empty[Int, StoredCheckpoint]) { configured =>
      val store = BlobStore.open(configured, settings.connection)
      val isOnlyHub = !configured.ofSeveralHubs
      val found = read(store, new CheckpointNames(settings.connection.hub, settings.consumerGroup, isOnlyHub))
      logInfo(s"Checkpoints in ${store.name}: ${shown(found)}")
      found
    }

  /** The newest layout takes precedence: what migrated to it leaves its old blobs behind. */
  def read(store: BlobStore, names: CheckpointNames): Map[Int, StoredCheckpoint] =
    names.jsonPrefixes.map(ofJson(store, _)).reduce((first, second) => second ++ first) ++
      names.prefixes.flatMap(prefix => store.list(prefix).map(prefix -> _))
        .sortBy { case (_, blob) => blob.lastModified.toEpochMilli }
        .map { case (prefix, blob) => partition(store, prefix, blob) -> ofMetadata(store, blob) }

  private def ofMetadata(store: BlobStore, blob: StoredBlob): StoredCheckpoint =
    CheckpointParser.ofMetadata(blob).fold(problem => throw malformed(store, blob, problem), identity)

  private def ofJson(store: BlobStore, prefix: String): Map[Int, StoredCheckpoint] = (for {
    listed <- store.list(prefix)
    // Blobs of other kinds are deeper, or have words for names.
    partition <- partitionId(prefix, listed)
    content <- store.read(listed.name)
    found <- CheckpointParser.ofJson(content).fold(problem => throw malformed(store, listed, problem), identity)
  } yield partition -> found).toMap

  private def partition(store: BlobStore, prefix: String, blob: StoredBlob): Int =
    partitionId(prefix, blob).getOrElse(throw malformed(store, blob, "its name does not end in a partition id"))

  private def partitionId(prefix: String, blob: StoredBlob): Option[Int] =
    Some(blob.name.stripPrefix(prefix)).filter(text => text.nonEmpty && text.length < 6 && text.forall(_.isDigit))
      .map(_.toInt)

  private def malformed(store: BlobStore, blob: StoredBlob, problem: String) =
    BlobErrors.malformed(store.name, blob.name, problem)

  private def shown(found: Map[Int, StoredCheckpoint]): String =
    if (found.isEmpty) "none"
    else found.toSeq.sortBy(_._1).map { case (partition, checkpoint) =>
      s"partition $partition at ${checkpoint.seqNo.fold(s"offset ${checkpoint.offset.mkString}")(_.toString)}"
    }.mkString(", ")
}
