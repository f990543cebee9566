package org.apache.spark.eventhubs.blob

import java.time.{Duration, Instant}

import org.apache.spark.eventhubs.options.{CheckpointStoreSettings, ConnectionSettings}
import org.apache.spark.eventhubs.signin.SignInNetwork

/**
 * One container of small blobs: what checkpoints and ownership need of Azure Blob Storage. Each call is one request,
 * or a few for a long list, and blocks. Calls that read are retried; calls that write are not, because the store may
 * have done what it did not answer. Safe for several threads.
 *
 * Every call throws an EventHubsException EVENTHUBS_CHECKPOINT_STORE.* when the container is missing, the sign-in is
 * refused, or the store is unreachable. An interrupt ends a call with an InterruptedException.
 */
private[spark] trait BlobStore {

  /** For logs and errors: the container's URL without a signature. */
  def name: String

  /** The blobs whose names begin with `prefix`, in the order of their names. */
  def list(prefix: String): Seq[StoredBlob]

  /** A blob with its content; None when it does not exist. A content of more than 64 KiB is an error. */
  def read(blob: String): Option[BlobContent]

  /** Replaces the metadata of an existing blob. Its content stays. */
  def setMetadata(blob: String, metadata: Map[String, String], condition: WriteCondition): WriteOutcome

  /** Creates or replaces a blob. */
  def upload(blob: String, body: Array[Byte], metadata: Map[String, String], condition: WriteCondition): WriteOutcome
}

private[spark] object BlobStore {

  /** The blobs of checkpoints and ownership are empty or hold one small JSON object. */
  val MaxContentBytes: Int = 1 << 16

  val NoContent: Array[Byte] = Array.emptyByteArray

  /**
   * The container of a query. It is opened without a request.
   *
   * @throws org.apache.spark.eventhubs.EventHubsException for a container or connection string that is invalid
   */
  def open(settings: CheckpointStoreSettings, connection: ConnectionSettings): BlobStore =
    new AzureBlobStore(
      BlobContainer.of(settings, connection.credential),
      connection.operationTimeout,
      SignInNetwork.of(connection)
    )
}

/**
 * A blob without its content.
 *
 * @param etag         changes with every write
 * @param metadata     names in lower case
 * @param lastModified by the clock of the store, in whole seconds
 * @param ageMillis    time from then until the store answered, by its clock too
 */
private[spark] final case class StoredBlob(
    name: String,
    etag: String,
    metadata: Map[String, String],
    lastModified: Instant,
    ageMillis: Long = 0
) {

  /** @param at the store's time of its answer. One without a time has this machine's */
  def answered(at: Option[Instant]): StoredBlob =
    copy(ageMillis = math.max(0L, Duration.between(lastModified, at.getOrElse(Instant.now())).toMillis))
}

private[spark] final case class BlobContent(blob: StoredBlob, body: Array[Byte])

/** When a write happens. */
private[spark] sealed trait WriteCondition

private[spark] object WriteCondition {
  case object Always extends WriteCondition

  /** `If-None-Match: *` */
  case object IfAbsent extends WriteCondition

  /** `If-Match`: the blob is still as it was when it had this etag. */
  final case class IfUnchanged(etag: String) extends WriteCondition
}

private[spark] sealed trait WriteOutcome

private[spark] object WriteOutcome {

  /** @param lastModified by the clock of the store */
  final case class Written(etag: String, lastModified: Instant) extends WriteOutcome

  /** Another writer came first. */
  case object ConditionNotMet extends WriteOutcome

  /** There is no blob whose metadata could be set. */
  case object NoSuchBlob extends WriteOutcome
}
