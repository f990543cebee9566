package org.apache.spark.eventhubs.generation

import java.time.Instant

/** Which of the hubs that have had one name, one after the other: sequence numbers alone do not tell them apart. */
sealed trait HubGeneration extends Serializable

object HubGeneration {

  /** The hub that was made at this time, as the service tells it. Who reads finds out whether it is still there. */
  final case class CreatedAt(time: Instant) extends HubGeneration

  /**
   * Whichever hub there is: the ranges were given without asking for it.
   *
   * @param reader what one reader keeps in memory is not for another one
   */
  final case class Any(reader: String) extends HubGeneration
}
