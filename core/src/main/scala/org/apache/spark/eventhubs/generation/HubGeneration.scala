package org.apache.spark.eventhubs.generation

import java.time.Instant

/**
 * Which incarnation of an event hub is meant. A hub that is deleted and recreated under its name is another generation:
 * its sequence numbers start again, so they alone do not identify an event.
 */
private[spark] sealed trait HubGeneration extends Serializable

private[spark] object HubGeneration {

  /** The hub that was created at this time, as the service reports it. Readers verify that it is still there. */
  final case class CreatedAt(time: Instant) extends HubGeneration {
    override def toString: String = s"the hub created at $time"
  }

  /**
   * Whichever hub exists: the caller gave the ranges without asking the service.
   *
   * @param reader keeps what one reader has in memory apart from what another one has
   */
  final case class Unchecked(reader: String) extends HubGeneration
}
