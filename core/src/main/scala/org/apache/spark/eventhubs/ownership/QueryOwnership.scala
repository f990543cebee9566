package org.apache.spark.eventhubs.ownership

import java.time.Duration
import java.util.concurrent.TimeUnit

import scala.annotation.tailrec

import org.apache.spark.eventhubs.EventHubsException
import org.apache.spark.eventhubs.blob.BlobStore
import org.apache.spark.eventhubs.checkpoints.{StoredCheckpoint, StoredCheckpoints}
import org.apache.spark.eventhubs.options.{OwnershipMode, ReadSettings}
import org.apache.spark.eventhubs.retry.CancellableWait
import org.apache.spark.internal.Logging
import org.apache.spark.util.{Clock, SystemClock}

/**
 * A streaming query owns all partitions of all its hubs from its start to its end. While it waits for them at its
 * start, it owns none, so that event processors can share all of them, and so that two queries never wait for each
 * other.
 *
 * @param mode        what to do while another owner has a partition
 * @param expiration  age at which an ownership that was not renewed may be claimed by others
 * @param isNeeded    whether the query still runs
 * @param store       for the settings of one hub
 * @param checkpoints those of one hub in the store; asks the store
 */
private[spark] final class QueryOwnership(
    mode: OwnershipMode.Owned,
    owner: OwnerId,
    expiration: Duration,
    clock: Clock,
    isNeeded: () => Boolean,
    store: ReadSettings => OwnershipStore,
    checkpoints: ReadSettings => Map[Int, StoredCheckpoint]
) extends Logging {

  private val askEvery = Seq(QueryOwnership.LongestPause, OwnershipRenewal.pause(expiration)).min

  /** Starts the thread that renews. Claims nothing yet. */
  def ofHub(settings: ReadSettings): GroupOwnership = {
    val owned = new OwnedPartitions(store(settings), owner, expiration.toMillis, clock)
    val renewal = new OwnershipRenewal(owned, OwnershipRenewal.pause(expiration), isNeeded)
    new GroupOwnership(owned, renewal, settings, () => checkpoints(settings))
  }

  /**
   * Returns when `claim` has found no other owner.
   *
   * @param claim   returns why one partition cannot be claimed now
   * @param release called before each pause
   * @throws org.apache.spark.eventhubs.EventHubsException the obstacle, unless the query shall wait
   * @throws java.lang.InterruptedException when the query is stopped while it waits
   */
  def ensure(claim: () => Option[EventHubsException], release: () => Unit): Unit =
    attempt(claim, release, isFirst = true)

  @tailrec
  private def attempt(claim: () => Option[EventHubsException], release: () => Unit, isFirst: Boolean): Unit =
    claim() match {
      case None => ()
      case Some(obstacle) =>
        if (mode == OwnershipMode.Fail) throw obstacle
        if (isFirst) logWarning(s"The query waits until it owns all partitions: ${obstacle.getMessage}")
        release()
        CancellableWait(clock, TimeUnit.MILLISECONDS.toNanos(askEvery.toMillis), () => ())
        attempt(claim, release, isFirst = false)
    }
}

private[spark] object QueryOwnership {

  private val LongestPause = Duration.ofSeconds(5)

  /**
   * How a query owns its partitions; None where its options do not ask for that. Called in the thread of the query:
   * Spark does not stop a source when it cannot create another one of the same query.
   */
  def of(settings: ReadSettings, owner: => OwnerId): Option[QueryOwnership] =
    for {
      configured <- settings.checkpointStore
      mode <- Option(configured.ownership).collect { case owned: OwnershipMode.Owned => owned }
    } yield {
      val expiration = configured.ownershipExpiration
      val blobs = BlobStore.open(configured, withShortCalls(settings, expiration).connection)
      val query = Thread.currentThread
      new QueryOwnership(
        mode,
        owner,
        expiration,
        // The time of day: the store gives the ages of ownerships, and a machine that was suspended has lost its own.
        new SystemClock,
        () => query.isAlive,
        hub => new BlobOwnershipStore(blobs, hub.connection.hub, hub.consumerGroup),
        hub => StoredCheckpoints.readAll(withShortCalls(hub, expiration))
      )
    }

  private def withShortCalls(settings: ReadSettings, expiration: Duration): ReadSettings = {
    val connection = settings.connection
    val longest = OwnershipRenewal.longestCall(expiration, connection.operationTimeout)
    settings.copy(connection = connection.copy(operationTimeout = longest))
  }
}
