package org.apache.spark.eventhubs.ownership

import java.time.Duration
import java.util.concurrent.{Executors, Future, TimeUnit}

import scala.util.control.NonFatal

import org.apache.spark.internal.Logging

/**
 * The one thread that renews the leases of a hub's partitions until it is closed, and then releases them.
 *
 * @param isNeeded whether the query still runs; otherwise its partitions are released
 */
private[spark] final class OwnershipRenewal(owned: OwnedPartitions, every: Duration, isNeeded: () => Boolean)
    extends AutoCloseable
    with Logging {

  import OwnershipRenewal._

  private val executor = Executors.newSingleThreadScheduledExecutor { work =>
    val thread = new Thread(work, "eventhubs-ownership-renewal")
    thread.setDaemon(true)
    thread
  }
  executor.scheduleWithFixedDelay(() => renew(), every.toMillis, every.toMillis, TimeUnit.MILLISECONDS)

  private var released = Option.empty[Future[Unit]]

  /** Begins to release all partitions. The releases of several hubs take as long as the slowest one. */
  def startClosing(): Unit = synchronized {
    if (released.isEmpty) {
      released = Some(executor.submit[Unit](() => owned.release()))
      // Also drops the renewals to come.
      executor.shutdown()
    }
  }

  /** Releases all partitions. A store that does not answer delays the caller only for a limited time. */
  override def close(): Unit = {
    startClosing()
    try synchronized(released).foreach(_.get(ReleaseWithin.toMillis, TimeUnit.MILLISECONDS))
    catch {
      case NonFatal(failed) =>
        logWarning(s"Not all partitions were released within $ReleaseWithin; the leases of the rest expire", failed)
    }
    val _ = executor.shutdownNow()
  }

  private def renew(): Unit =
    try {
      if (isNeeded()) owned.renew()
      else {
        logWarning("The query has ended without closing this source; its partitions are released")
        startClosing()
      }
    } catch {
      // The machine may have no thread left for the calls.
      case failed @ (NonFatal(_) | _: OutOfMemoryError) =>
        logWarning("Renewing the ownership failed; the next attempt follows", failed)
    }
}

private[spark] object OwnershipRenewal {

  /** An owner renews this many times before its ownership would expire. */
  private val RenewalsPerExpiration = 6
  private val ReleaseWithin = Duration.ofSeconds(10)

  /** A store that is only slow answers within it, also where leases expire after a few seconds. */
  private val ShortestCall = Duration.ofSeconds(5)

  /** Between two renewals. */
  def pause(expiration: Duration): Duration = expiration.dividedBy(RenewalsPerExpiration)

  /** How long a call may wait for the store. A longer one would use up the time of the renewals that follow it. */
  def longestCall(expiration: Duration, operationTimeout: Duration): Duration =
    Seq(operationTimeout, Seq(ShortestCall, pause(expiration)).max).min
}
