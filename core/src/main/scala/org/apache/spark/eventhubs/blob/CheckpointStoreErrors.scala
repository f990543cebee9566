package org.apache.spark.eventhubs.blob

import org.apache.spark.eventhubs.EventHubsException
import org.apache.spark.internal.Logging

/** Errors of the checkpoint store, one factory per condition. */
private[eventhubs] object CheckpointStoreErrors extends Logging {

  /**
   * The checkpoint store fails.
   *
   * @param kind  `NOT_FOUND`, `AUTHENTICATION`, `UNREACHABLE` or `SERVICE`
   * @param store URL of the container, without a signature
   */
  def failed(
      kind: String,
      store: String,
      doing: String,
      said: String,
      cause: Option[Throwable]
  ): EventHubsException = {
    cause.foreach(failed => logDebug(s"The checkpoint store fails while $doing", failed))
    new EventHubsException(
      s"EVENTHUBS_CHECKPOINT_STORE.$kind",
      Map("store" -> store, "doing" -> doing, "said" -> said),
      cause
    )
  }

  def malformedBlob(store: String, blob: String, problem: String): EventHubsException =
    new EventHubsException(
      "EVENTHUBS_CHECKPOINT_STORE.MALFORMED_BLOB",
      Map("store" -> store, "blob" -> blob, "problem" -> problem)
    )
}
