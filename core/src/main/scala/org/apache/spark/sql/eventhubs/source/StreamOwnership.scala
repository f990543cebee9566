package org.apache.spark.sql.eventhubs.source

import java.time.Duration
import java.util.UUID

import org.apache.hadoop.fs.Path

import org.apache.spark.SparkContext
import org.apache.spark.eventhubs.blob.BlobStore
import org.apache.spark.eventhubs.checkpoints.StoredCheckpoints
import org.apache.spark.eventhubs.options.{OwnershipMode, ReadSettings}
import org.apache.spark.eventhubs.ownership.{
  BlobOwnershipStore,
  GroupOwnership,
  GroupProgress,
  OwnerId,
  OwnershipRenewal,
  QueryOwnership
}
import org.apache.spark.sql.eventhubs.hubs.HubOwnership
import org.apache.spark.util.{Clock, SystemClock}

/** Makes a streaming read the owner of its partitions, where its options ask for that. */
private[source] object StreamOwnership {

  /** Spark sets it in the thread of a streaming query. It stays the same when the query restarts. */
  private val QueryId = "sql.streaming.queryId"

  /**
   * How the query owns its partitions; None where its options do not ask for that. Called in the thread of the query.
   *
   * @param metadataPath  the folder of this source in the checkpoint, whose name is the number of the source
   * @param beforeRelease writes the checkpoints that wait
   */
  def of(
      settings: ReadSettings,
      sc: SparkContext,
      metadataPath: String,
      beforeRelease: () => Unit
  ): Option[HubOwnership] =
    for {
      configured <- settings.checkpointStore
      mode <- Option(configured.ownership).collect { case owned: OwnershipMode.Owned => owned }
    } yield {
      // Two sources of one query that read the same partitions are two owners.
      val queryId = Option(sc.getLocalProperty(QueryId)).getOrElse(UUID.randomUUID.toString)
      val owner = OwnerId(s"spark-$queryId-${new Path(metadataPath).getName}", UUID.randomUUID.toString)
      // The time of day: the ages of ownerships come from the store, and a machine that was suspended has lost its own.
      val clock = new SystemClock
      val store = BlobStore.open(configured, withShortCalls(settings, configured.ownershipExpiration).connection)
      val query = QueryOwnership(mode, configured.ownershipExpiration, clock)
      // Spark does not stop a source when it cannot create another one of the same query.
      val thread = Thread.currentThread
      val isNeeded = () => thread.isAlive
      new HubOwnership(query, start(_, store, owner, configured.ownershipExpiration, clock, isNeeded), beforeRelease)
    }

  /** @param settings of one hub */
  private def start(
      settings: ReadSettings,
      store: BlobStore,
      owner: OwnerId,
      expiration: Duration,
      clock: Clock,
      isNeeded: () => Boolean
  ): GroupOwnership = {
    val hub = settings.connection.hub
    GroupOwnership.start(
      new BlobOwnershipStore(store, hub, settings.consumerGroup),
      owner,
      expiration,
      hub,
      settings.consumerGroup,
      () => progress(withShortCalls(settings, expiration)),
      clock,
      isNeeded
    )
  }

  /** Processors of all SDKs store the sequence number. */
  private def progress(settings: ReadSettings): Map[Int, GroupProgress] =
    for {
      (partition, stored) <- StoredCheckpoints.readAll(settings)
      next <- stored.nextSeqNo
    } yield partition -> GroupProgress(next, stored.offset, stored.written)

  private def withShortCalls(settings: ReadSettings, expiration: Duration): ReadSettings = {
    val connection = settings.connection
    val longest = OwnershipRenewal.longestCall(expiration, connection.operationTimeout)
    settings.copy(connection = connection.copy(operationTimeout = longest))
  }
}
