package org.apache.spark.eventhubs.generation

import java.time.{Duration, Instant}

/**
 * Which incarnation of an event hub is meant. A hub that is deleted and recreated under its name is another generation:
 * its sequence numbers start again, so they alone do not identify an event.
 */
private[spark] sealed trait HubGeneration extends Serializable {

  /** None when any hub is meant. */
  def created: Option[HubGeneration.CreatedAt]

  /** The generation of one of the hubs, in a query of several. A query of one hub has one generation. */
  def ofHub(name: String): HubGeneration = this

  /** The epoch up to which the partition's events are known; None unless the hub is geo-replicated. */
  def epochOf(partitionId: Int): Option[Int] = None
}

private[spark] object HubGeneration {

  /** The clocks of a checkpoint store and of Event Hubs may differ, and a store's times are in whole seconds. */
  private val ClockDifference = Duration.ofSeconds(5)

  /** The hub that was created at this time, as the service reports it. Readers verify that it is still there. */
  final case class CreatedAt(time: Instant) extends HubGeneration {
    override def created: Option[CreatedAt] = Some(this)

    /**
     * Whether the hub was created after something was written about a hub of its name, which then was another one.
     *
     * @param written by another clock; `Instant.EPOCH` where the time is not known
     */
    def isAfter(written: Instant): Boolean =
      written != Instant.EPOCH && written.plus(ClockDifference).isBefore(time)

    override def toString: String = s"the hub created at $time"
  }

  /**
   * The geo-replicated hub that was created at this time, with the promotions of secondary regions that were known.
   *
   * @param epochs of its partitions. An event of a later epoch came after a promotion. It may have the sequence number
   *               of an event that only the old primary region had
   */
  final case class Replicated(createdAt: CreatedAt, epochs: Map[Int, Int]) extends HubGeneration {
    override def created: Option[CreatedAt] = Some(createdAt)
    override def epochOf(partitionId: Int): Option[Int] = epochs.get(partitionId)
    override def toString: String = createdAt.toString
  }

  /** @param epochs empty for a hub that is not geo-replicated */
  def of(createdAt: CreatedAt, epochs: Map[Int, Int]): HubGeneration =
    if (epochs.isEmpty) createdAt else Replicated(createdAt, epochs)

  /**
   * The generations of the hubs of a query that reads several. Only its parts, from `ofHub`, describe a hub.
   *
   * @param byHub by the hubs' names as the query's ranges have them
   */
  final case class OfHubs(byHub: Map[String, HubGeneration]) extends HubGeneration {
    override def created: Option[CreatedAt] = None
    override def ofHub(name: String): HubGeneration =
      byHub.getOrElse(name, throw new IllegalStateException(s"no generation was planned for the event hub '$name'"))
  }

  /** @param hubs names and generations, at least one */
  def ofHubs(hubs: Seq[(String, HubGeneration)]): HubGeneration = hubs match {
    case Seq((_, one)) => one
    case several => OfHubs(several.toMap)
  }

  /**
   * Whichever hub exists: the caller gave the ranges without asking the service.
   *
   * @param reader keeps what one reader has in memory apart from what another one has
   */
  final case class Unchecked(reader: String) extends HubGeneration {
    override def created: Option[CreatedAt] = None
  }
}
