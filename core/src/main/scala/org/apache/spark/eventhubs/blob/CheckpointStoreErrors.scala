package org.apache.spark.eventhubs.blob

import org.apache.spark.eventhubs.{ErrorCondition, EventHubsException}
import org.apache.spark.internal.Logging

/** Errors of the checkpoint store, one factory per condition. */
private[eventhubs] object CheckpointStoreErrors extends Logging {

  /**
   * The checkpoint store fails.
   *
   * @param store URL of the container, without a signature
   */
  def failed(
      condition: ErrorCondition.CheckpointStore,
      store: String,
      doing: String,
      said: String,
      cause: Option[Throwable]
  ): EventHubsException = {
    cause.foreach(failed => logDebug(s"The checkpoint store fails while $doing", failed))
    new EventHubsException(
      condition,
      Map("store" -> store, "doing" -> doing, "said" -> said),
      cause
    )
  }

  def malformedBlob(store: String, blob: String, problem: String): EventHubsException =
    new EventHubsException(
      ErrorCondition.CheckpointStore.MalformedBlob,
      Map("store" -> store, "blob" -> blob, "problem" -> problem)
    )
}
