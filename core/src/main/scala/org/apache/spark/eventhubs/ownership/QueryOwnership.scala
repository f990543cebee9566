package org.apache.spark.eventhubs.ownership

import java.time.Duration
import java.util.concurrent.TimeUnit

import scala.annotation.tailrec

import org.apache.spark.eventhubs.EventHubsException
import org.apache.spark.eventhubs.options.OwnershipMode
import org.apache.spark.eventhubs.retry.CancellableWait
import org.apache.spark.internal.Logging
import org.apache.spark.util.Clock

/**
 * A streaming query owns all partitions of all its hubs or none. While it waits, it releases what it has, so that
 * event processors can share all partitions, and so that two queries never wait for each other.
 *
 * @param mode     what to do while another owner has a partition
 * @param askEvery how often to ask while waiting
 */
private[spark] final class QueryOwnership(mode: OwnershipMode.Owned, askEvery: Duration, clock: Clock)
    extends Logging {

  /**
   * Returns when the query owns all partitions. Called before each batch.
   *
   * @param claim   claims what is not owned yet; returns why one partition is not owned
   * @param release releases the partitions of all hubs
   * @throws org.apache.spark.eventhubs.EventHubsException EVENTHUBS_OWNERSHIP.HELD when another owner has one of them,
   *         and EVENTHUBS_OWNERSHIP.LOST when another one has claimed it, unless the query shall wait
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

  /** @param expiration age at which an ownership that was not renewed may be claimed by others */
  def apply(mode: OwnershipMode.Owned, expiration: Duration, clock: Clock): QueryOwnership =
    new QueryOwnership(mode, Seq(LongestPause, OwnershipRenewal.pause(expiration)).min, clock)
}
