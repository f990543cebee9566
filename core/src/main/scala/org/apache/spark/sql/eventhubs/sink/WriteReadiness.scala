package org.apache.spark.sql.eventhubs.sink

import org.apache.spark.eventhubs.EventHubsErrors
import org.apache.spark.eventhubs.connection.{AbandonedQuestionException, EndpointProbe, ProducerLease, ProducerPool}
import org.apache.spark.eventhubs.options.{WriteDestination, WriteSettings}
import org.apache.spark.eventhubs.retry.MonotonicClock
import org.apache.spark.eventhubs.send.ProducerCalls
import org.apache.spark.sql.eventhubs.planning.InBackground

/**
 * Connects like the tasks, before anything is written: finds an unreachable endpoint, a wrong key, a missing claim, an
 * unknown hub or partition.
 *
 * The endpoint, the hub's partitions and a link are asked for at the same time, because each takes several round trips.
 * A failure of the endpoint is reported at once, and before any other: the SDK would retry until its timeout.
 */
private[sink] object WriteReadiness {

  /** @param pool that the tasks on this machine use too */
  def apply(settings: WriteSettings, pool: ProducerPool): Unit =
    apply(settings, pool, () => EndpointProbe.check(settings.connection))

  /** @param probe throws when the service cannot be reached */
  private[sink] def apply(settings: WriteSettings, pool: ProducerPool, probe: () => Unit): Unit = {
    val endpoint = InBackground(probe())
    try {
      val lease = pool.borrow(settings.connection)
      try check(settings, lease, endpoint)
      finally lease.close()
    } finally endpoint.cancel()
  }

  private def check(settings: WriteSettings, lease: ProducerLease, endpoint: InBackground[Unit]): Unit = {
    val call = new ProducerCalls(
      lease,
      settings.connection.operationTimeout,
      settings.connection.maxRetries + 1,
      new MonotonicClock,
      checkCancelled = () => if (endpoint.hasFailed) throw new AbandonedQuestionException("checking a write")
    )
    val link = InBackground {
      // Only an open sending link proves that the credential may send.
      call("opening a link to write to it")(_.newBatch(settings.destination, settings.maxBatchBytes))
      ()
    }
    try {
      val known = endpoint.failsFirst {
        call("asking for its partitions before writing")(_ => lease.partitionIds(refresh = true))
      }
      endpoint.await()
      requireKnown(settings, known)
      link.await()
    } finally link.cancel()
  }

  private def requireKnown(settings: WriteSettings, known: Seq[String]): Unit = settings.destination match {
    case WriteDestination.ToPartition(id) if !known.contains(id) =>
      throw EventHubsErrors.invalidOption(
        "eventhubs.partitionId",
        id,
        s"one of ${settings.connection.hub}'s partitions: ${known.mkString(", ")}"
      )
    case _ => ()
  }
}
