package org.apache.spark.sql.eventhubs.planning

import org.apache.spark.eventhubs.DataLoss
import org.apache.spark.eventhubs.connection.PartitionBounds
import org.apache.spark.eventhubs.service.{HubSnapshot, Known}
import org.apache.spark.sql.eventhubs.EventHubsSourceOffset

/**
 * Detects that a secondary region of a geo-replicated hub was promoted. It may lack the newest events of the old
 * primary region, and gives their sequence numbers to new events. The checkpoint's epochs show that, not its sequence
 * numbers.
 */
private[eventhubs] final class PromotionDetector(identities: HubIdentityTracker, search: EpochSearch) {

  import PromotionDetector._

  /**
   * Reports each partition with a new epoch, and notes where the batch that starts at `start` continues in it: at the
   * first event of the new epoch, if the query has read an old event with this number.
   */
  def detect(
      start: EventHubsSourceOffset,
      seqNos: Map[Int, Long],
      snapshot: HubSnapshot,
      report: DataLoss => Unit
  ): Unit = {
    identities.learnEpochs(snapshot)
    identities.in(snapshot).foreach { identity =>
      val restart = identities.restartOf(start)
      val positions = seqNos.map { case (partition, seqNo) =>
        partition -> restart.fold(seqNo)(_.getOrElse(partition, snapshot.bounds.get(partition).fold(seqNo)(_.earliest)))
      }
      val promoted = for {
        (partition, position) <- positions.toSeq.sortBy(_._1)
        bounds <- snapshot.bounds.get(partition)
        known <- identity.epochs.get(partition)
        found <- promotion(partition, position, known, bounds)
      } yield found
      promoted.foreach { found =>
        report(DataLoss(DataLoss.Kind.FailedOver, found.partition, found.continuesAt, found.continuesAt, found.facts))
      }
      if (promoted.nonEmpty) {
        val starts = promoted.map(found => found.partition -> found.continuesAt)
        val epochs = promoted.map(found => found.partition -> found.epoch)
        // A recreated hub is read from its beginning, also in partitions that the hub before did not have.
        val added = if (restart.exists(_.isEmpty)) snapshot.bounds -- seqNos.keySet else Map.empty[Int, PartitionBounds]
        val earliest = added.map { case (partition, bounds) => partition -> bounds.earliest }
        identities.continueAt(start, earliest ++ positions ++ starts, epochs.toMap)
      }
    }
  }

  /** What is known of the partitions of a snapshot, unless it shows that the hub was recreated. */
  def known(start: EventHubsSourceOffset, seqNos: Map[Int, Long], snapshot: HubSnapshot): Map[Int, Known] =
    if (identities.isOfAnother(snapshot)) Map.empty
    else {
      val epochs = identities.in(snapshot).fold(Map.empty[Int, Int])(_.epochs)
      identities.restartOf(start).getOrElse(seqNos).map { case (partition, next) =>
        partition -> Known(next, epochs.get(partition))
      }
    }

  private def promotion(partition: Int, position: Long, known: Int, bounds: PartitionBounds): Option[Promotion] =
    bounds.epoch match {
      case Some(epoch) if epoch > known =>
        val continuesAt = search.continuation(partition, position, known, bounds)
        val facts = s"the query was at sequence number $position and epoch $known, and new events have epoch $epoch"
        Some(Promotion(partition, continuesAt, epoch, facts))
      // The promoted region has no event yet. The first one has the next epoch, and must not be reported again.
      case Some(_) if position > bounds.latest =>
        val facts = s"the query was at sequence number $position, and the next event to arrive is ${bounds.latest}"
        Some(Promotion(partition, bounds.latest, known + 1, facts))
      case _ => None
    }
}

private object PromotionDetector {

  /** @param epoch the last one that is known from now on */
  private final case class Promotion(partition: Int, continuesAt: Long, epoch: Int, facts: String)
}
