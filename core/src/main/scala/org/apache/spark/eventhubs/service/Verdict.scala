package org.apache.spark.eventhubs.service

import org.apache.spark.eventhubs.connection.PartitionBounds
import org.apache.spark.eventhubs.{DataLoss, EventHubsException}

/** What is true of a partition, as far as the answers of the service show. */
private[spark] sealed trait Verdict

private[spark] object Verdict {

  /** The partition has had the events that are asked about. Those before its first retained one have expired. */
  final case class Retained(bounds: PartitionBounds) extends Verdict

  /** An answer lacks what is known, and too few answers agree. */
  case object AskAgain extends Verdict

  /** The hub does not have the partition. */
  case object Missing extends Verdict

  /**
   * The service has not answered in time, which says nothing about the events.
   *
   * @param why None when the caller stopped waiting
   */
  final case class Unanswered(why: Option[EventHubsException]) extends Verdict

  /** Known events are gone. Other events have, or will have, their sequence numbers. */
  sealed trait Gone extends Verdict {
    def kind: DataLoss.Kind

    /** The evidence, as part of a sentence. */
    def facts: String
  }

  /** The hub was deleted and recreated. */
  final case class Recreated(facts: String) extends Gone {
    override def kind: DataLoss.Kind = DataLoss.Kind.Recreated
  }

  /** A secondary region of a geo-replicated hub was promoted. */
  final case class Promoted(facts: String) extends Gone {
    override def kind: DataLoss.Kind = DataLoss.Kind.FailedOver
  }

  /** The partition ends before events that it had, and nothing explains that. */
  final case class Shrunk(bounds: PartitionBounds, facts: String) extends Gone {
    override def kind: DataLoss.Kind = DataLoss.Kind.Recreated
  }
}
