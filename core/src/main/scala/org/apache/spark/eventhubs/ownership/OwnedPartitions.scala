package org.apache.spark.eventhubs.ownership

import java.io.IOException
import java.util.concurrent.locks.ReentrantLock
import java.util.concurrent.{ConcurrentHashMap, TimeoutException}

import scala.annotation.tailrec
import scala.util.control.NonFatal
import scala.util.{Failure, Success, Try}

import org.apache.spark.eventhubs.background.ConcurrentCalls
import org.apache.spark.eventhubs.{ErrorCondition, EventHubsException}
import org.apache.spark.internal.Logging
import org.apache.spark.util.Clock

/** Another owner with a lease that has not expired. */
private[spark] final case class ActiveOwner(partitionId: Int, ownerId: String)

/**
 * Why a partition is no longer owned.
 *
 * @param how continues "the ownership of partition 3 was lost:"
 */
private[spark] final case class OwnershipLoss(partitionId: Int, how: String)

/**
 * The partitions that this owner has claimed, with the rules of the Azure SDKs' event processors: a claim replaces a
 * lease that is released or expired, and the etag decides between two claims at the same time. Thread-safe.
 *
 * @param expirationMillis age at which a lease that was not renewed expires
 */
private[spark] final class OwnedPartitions(
    store: OwnershipStore,
    owner: OwnerId,
    expirationMillis: Long,
    clock: Clock
) extends Logging {

  import OwnedPartitions._

  /** Held while the store is asked. Fair, so that a renewal of many leases does not keep the query's thread waiting. */
  private val turn = new ReentrantLock(true)

  // Read without the lock, which a slow store may hold for long.
  @volatile private var leases = Map.empty[Int, Lease]
  @volatile private var lost = Option.empty[OwnershipLoss]

  /** Whether a claim has succeeded. Leases of this query's other runs are newer than that. */
  private var hasOwned = false

  /** The partitions with a valid lease. */
  def partitions: Set[Int] = leases.filterNot { case (_, lease) => isExpired(lease) }.keySet

  /** The first partition that was lost since the last [[release]]. */
  def loss: Option[OwnershipLoss] = lost.orElse {
    leases.collect { case (partition, lease) if isExpired(lease) => partition }.toSeq.sorted.headOption
      .map(OwnershipLoss(_, s"it could not be renewed within ${expirationMillis / 1000} s"))
  }

  /**
   * Claims all of the partitions that are not owned yet, or none of them.
   *
   * @return an owner that has one of them; None when all are owned
   * @throws java.lang.InterruptedException when the caller is interrupted, also while it waits for a renewal
   */
  def claim(wanted: Set[Int]): Option[ActiveOwner] = inTurn {
    val before = leases.keySet
    try {
      val other = claimMissing(wanted, Attempts)
      if (other.nonEmpty) release(leases.keySet -- before)
      else hasOwned = true
      other
    } catch {
      case failed: Throwable =>
        release(leases.keySet -- before)
        throw failed
    }
  }

  /** Renews the leases, as far as the store answers. One that cannot be reached costs no lease until it expires. */
  def renew(): Unit = {
    // The last renewal may have ended early.
    val oldestFirst = leases.toSeq.sortBy { case (partition, lease) => (lease.renewedMillis, partition) }
    inGroups(oldestFirst.map(_._1))(group => inTurn(renewGroup(group)))
  }

  /**
   * Releases what is owned, so that others can claim it at once, and forgets the loss.
   *
   * @throws java.lang.InterruptedException when the caller is interrupted, also while it waits for a renewal
   */
  def release(): Unit = inTurn {
    release(leases.keySet)
    lost = None
  }

  private def inTurn[A](work: => A): A = {
    turn.lockInterruptibly()
    try work
    finally turn.unlock()
  }

  /** @return whether the store has answered */
  private def renewGroup(group: Seq[Int]): Boolean = {
    var refused = Map.empty[Int, Long]
    // The query may have released some since the renewal began.
    val owned = group.filter(leases.contains)
    val isAnswered = write(owned, owner.text, partition => Some(leases(partition).etag)) { written =>
      import written.partition
      written.answer match {
        case Success(Some(etag)) => leases += partition -> Lease(etag, written.sentMillis)
        case Success(None) => refused += partition -> written.sentMillis
        case Failure(failed) => logWarning(s"Renewing the ownership of partition $partition failed; $Repeated", failed)
      }
    }
    if (refused.nonEmpty)
      try checkOwners(refused)
      catch { case NonFatal(failed) => logWarning(s"The owners of partitions are unknown; $Repeated", failed) }
    isAnswered
  }

  @tailrec
  private def claimMissing(wanted: Set[Int], attempts: Int): Option[ActiveOwner] = {
    val missing = (wanted -- leases.keySet).toSeq.sorted
    if (missing.isEmpty) None
    else {
      val known = store.list().map(ownership => ownership.partitionId -> ownership).toMap
      val other = missing.flatMap(known.get).find(isActive)
      if (other.nonEmpty) other.map(ownership => ActiveOwner(ownership.partitionId, ownership.ownerId))
      else {
        // Stops after the first refusal: another owner claims at the same moment.
        missing.grouped(ConcurrentCalls.AtATime).flatMap(take(_, known)).find(_ => true) match {
          case Some(partition) if attempts <= 1 => Some(ActiveOwner(partition, "an owner that claims it now"))
          case _ => claimMissing(wanted, attempts - 1)
        }
      }
    }
  }

  private def isActive(ownership: PartitionOwnership): Boolean =
    ownership.ownerId.nonEmpty && !isOwn(ownership.ownerId) && ownership.ageMillis < expirationMillis

  /** A run before this one has ended. One that has claimed since runs, and the two would take turns for ever. */
  private def isOwn(ownerId: String): Boolean =
    ownerId == owner.text || (!hasOwned && owner.isSameQuery(ownerId))

  /** @return those that another owner has claimed */
  private def take(missing: Seq[Int], known: Map[Int, PartitionOwnership]): Seq[Int] = {
    var refused = Seq.empty[Int]
    var failures = Seq.empty[Throwable]
    write(missing, owner.text, known.get(_).map(_.etag)) { written =>
      written.answer match {
        case Success(Some(etag)) =>
          leases += written.partition -> Lease(etag, written.sentMillis)
        case Success(None) => refused :+= written.partition
        case Failure(failed) => failures :+= failed
      }
    }
    failures.foreach(throw _)
    refused
  }

  /**
   * Writes groups of partitions that may wait for the store at the same time.
   *
   * @param write false when the store has answered none of its calls. Then the others would most likely fail too, each
   *              after a time-out, and are left out
   */
  private def inGroups(partitions: Seq[Int])(write: Seq[Int] => Boolean): Unit = {
    val groups = partitions.grouped(ConcurrentCalls.AtATime)
    var isAnswered = true
    while (groups.hasNext && isAnswered) isAnswered = write(groups.next())
  }

  /**
   * Writes a lease of each partition whose blob still has this etag, or does not exist for None.
   *
   * @param record called for each answer, also for those that came before this thread was interrupted
   * @return false when no call had an answer; a refusal is one
   */
  private def write(partitions: Seq[Int], ownerId: String, etag: Int => Option[String])(
      record: WrittenLease => Unit
  ): Boolean = {
    var isAnswered = partitions.isEmpty
    val known = partitions.sorted.map(partition => partition -> etag(partition))
    val sent = new ConcurrentHashMap[Int, Long]
    ConcurrentCalls.each("eventhubs-ownership", known) { case (partition, expected) =>
      sent.put(partition, clock.getTimeMillis())
      store.claim(partition, ownerId, expected)
    } { case ((partition, _), answer) =>
      if (!answer.failed.toOption.exists(isNoAnswer)) isAnswered = true
      record(WrittenLease(partition, sent.get(partition), answer))
    }
    isAnswered
  }

  /**
   * The etags have changed. They may be the etags of this run's own renewals, whose answers were lost.
   *
   * @param refused when each refused request was sent
   */
  private def checkOwners(refused: Map[Int, Long]): Unit = {
    val asked = clock.getTimeMillis()
    val known = store.list().map(ownership => ownership.partitionId -> ownership).toMap
    refused.toSeq.sorted.foreach { case (partition, sent) =>
      known.get(partition) match {
        // Others count its age from the renewal whose answer was lost.
        case Some(mine) if mine.ownerId == owner.text =>
          leases += partition -> Lease(mine.etag, math.min(sent, asked - mine.ageMillis))
        case Some(other) if other.ownerId.nonEmpty => lose(partition, s"'${other.ownerId}' has claimed it")
        case Some(_) => lose(partition, "another owner claimed it and has released it")
        case None => lose(partition, "its ownership blob was deleted")
      }
    }
  }

  private def lose(partition: Int, how: String): Unit = {
    lost = lost.orElse(Some(OwnershipLoss(partition, how)))
    leases -= partition
  }

  private def release(owned: Set[Int]): Unit = {
    inGroups(owned.toSeq.sorted)(releaseGroup)
    val left = owned.filter(leases.contains)
    if (left.nonEmpty) {
      logWarning(s"The store does not answer; the leases of the partitions ${left.toSeq.sorted.mkString(", ")} expire")
      leases --= left
    }
  }

  /** @return whether the store has answered */
  private def releaseGroup(group: Seq[Int]): Boolean =
    write(group, ownerId = "", partition => Some(leases(partition).etag)) { written =>
      import written.partition
      leases -= partition
      written.answer match {
        case Success(Some(_)) => ()
        case Success(None) => logDebug(s"Partition $partition has another owner already")
        // Others cannot claim the partition before the lease expires, but nothing is lost.
        case Failure(failed) => logWarning(s"Releasing partition $partition failed; its lease expires", failed)
      }
    }

  private def isExpired(lease: Lease): Boolean = clock.getTimeMillis() - lease.renewedMillis >= expirationMillis
}

private object OwnedPartitions {

  /** @param renewedMillis when the request was sent that the store has confirmed */
  private final case class Lease(etag: String, renewedMillis: Long)

  /**
   * @param sentMillis when the request was sent
   * @param answer     the etag of the lease; None when the blob has another one
   */
  private final case class WrittenLease(partition: Int, sentMillis: Long, answer: Try[Option[String]])

  /** Whether a call of the store, or its thread, failed without an answer. */
  private def isNoAnswer(failed: Throwable): Boolean = failed match {
    case known: EventHubsException => known.condition == ErrorCondition.CheckpointStore.Unreachable
    case _: IOException | _: TimeoutException => true
    case _ => false
  }

  private val Attempts = 3
  private val Repeated = "the next attempt follows"
}
