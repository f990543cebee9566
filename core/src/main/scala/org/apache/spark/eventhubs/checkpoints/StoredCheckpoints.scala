package org.apache.spark.eventhubs.checkpoints

import org.apache.spark.eventhubs.EventPosition
import org.apache.spark.eventhubs.blob.{BlobErrors, BlobStore, StoredBlob}
import org.apache.spark.eventhubs.options.ReadSettings
import org.apache.spark.internal.Logging

/** Reads the checkpoints of one consumer group, in each layout that processors of Event Hubs use. */
private[spark] object StoredCheckpoints extends Logging {

  private val Nowhere = Map.empty[Int, StoredCheckpoint]
  private val All: Int => Boolean = _ => true

  /**
   * By partition that starts at its checkpoint; those without one are missing. Empty without a store.
   *
   * @throws org.apache.spark.eventhubs.EventHubsException EVENTHUBS_CHECKPOINT_STORE.*, also for a blob that is no
   *         checkpoint, and, when the query reads several hubs, for one that names no hub
   */
  def read(settings: ReadSettings): Map[Int, StoredCheckpoint] =
    read(settings, (store, names, isOnlyHub) => starts(store, names, isOnlyHub, startsAtCheckpoint(settings, _)))

  /**
   * Reads the checkpoints of all partitions, wherever they start. When the query reads several hubs, blobs that name no
   * hub are left out.
   */
  def readAll(settings: ReadSettings): Map[Int, StoredCheckpoint] =
    read(settings, (store, names, isOnlyHub) => ofAllPartitions(store, names, isOnlyHub))

  /**
   * The newest layout takes precedence: what migrated to it leaves its old blobs behind.
   *
   * @param isOnlyHub whether blobs that name no hub are this hub's
   * @param wanted    the partitions that start here; the blobs of others may be malformed
   */
  def starts(
      store: BlobStore,
      names: CheckpointNames,
      isOnlyHub: Boolean = true,
      wanted: Int => Boolean = All
  ): Map[Int, StoredCheckpoint] = {
    val ofHub = named(store, names, wanted)
    val others = nameless(store, names, partition => wanted(partition) && !ofHub.contains(partition))
    if (!isOnlyHub) others.values.toSeq.sortBy(_.blob).headOption.foreach { found =>
      throw BlobErrors.malformed(store.name, found.blob, "it names no event hub, and the query reads several")
    }
    others ++ ofHub
  }

  /**
   * Returns the checkpoints of all partitions, wherever they start, with the precedence of [[starts]].
   *
   * @param isOnlyHub whether blobs that name no hub are this hub's; otherwise they are left out
   */
  def ofAllPartitions(store: BlobStore, names: CheckpointNames, isOnlyHub: Boolean): Map[Int, StoredCheckpoint] = {
    val ofHub = named(store, names, All)
    if (isOnlyHub) nameless(store, names, partition => !ofHub.contains(partition)) ++ ofHub else ofHub
  }

  private def read(
      settings: ReadSettings,
      from: (BlobStore, CheckpointNames, Boolean) => Map[Int, StoredCheckpoint]
  ): Map[Int, StoredCheckpoint] = settings.checkpointStore.fold(Nowhere) { configured =>
    val store = BlobStore.open(configured, settings.connection)
    val names = new CheckpointNames(settings.connection.hub, settings.consumerGroup)
    val found = from(store, names, !configured.ofSeveralHubs)
    logInfo(s"Checkpoints in ${store.name}: ${shown(found)}")
    found
  }

  private def startsAtCheckpoint(settings: ReadSettings, partition: Int): Boolean =
    settings.startingPositions.getOrElse(partition, settings.startingPosition) == EventPosition.CheckpointStore

  /** Blobs with JSON are read only for partitions without one of the newest layout: they are leftovers otherwise. */
  private def named(store: BlobStore, names: CheckpointNames, wanted: Int => Boolean): Map[Int, StoredCheckpoint] = {
    val newest = names.prefixes
      .flatMap(prefix => store.list(prefix).map(blob => partition(store, prefix, blob) -> blob))
      .filter { case (partition, _) => wanted(partition) }
      .sortBy { case (_, blob) => blob.lastModified.toEpochMilli }
      .map { case (partition, blob) => partition -> ofMetadata(store, blob) }
      .toMap
    ofJson(store, names.jsonPrefixes, partition => wanted(partition) && !newest.contains(partition)) ++ newest
  }

  private def nameless(store: BlobStore, names: CheckpointNames, wanted: Int => Boolean): Map[Int, StoredCheckpoint] =
    ofJson(store, names.namelessPrefixes, wanted)

  private def ofMetadata(store: BlobStore, blob: StoredBlob): StoredCheckpoint =
    CheckpointParser.ofMetadata(blob).fold(problem => throw malformed(store, blob, problem), identity)

  /** The first prefix takes precedence. */
  private def ofJson(store: BlobStore, prefixes: Seq[String], wanted: Int => Boolean): Map[Int, StoredCheckpoint] =
    (for {
      prefix <- prefixes.reverse
      listed <- store.list(prefix)
      // Blobs of other kinds are deeper, or have words for names.
      partition <- partitionId(prefix, listed).filter(wanted)
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
