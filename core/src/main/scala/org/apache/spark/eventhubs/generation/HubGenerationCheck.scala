package org.apache.spark.eventhubs.generation

import org.apache.spark.eventhubs.options.ConnectionSettings

/**
 * Checks that a task reads the hub generation that its range was planned for.
 *
 * @param current  asks the service for the hub's generation
 * @param verified what this JVM has verified already, so that not every new link has to ask
 */
private[eventhubs] final class HubGenerationCheck(
    planned: HubGeneration,
    connection: ConnectionSettings,
    current: () => HubGeneration.CreatedAt,
    verified: VerifiedGenerations
) {

  /** How the current hub differs from the planned one. None when it is the same. Asks the service. */
  def difference(): Option[String] = planned match {
    case wanted: HubGeneration.CreatedAt =>
      Some(current()).filter(_ != wanted).map(found => s"the range was planned for $wanted, but this is $found")
    case HubGeneration.Unchecked(_) => None
  }

  /** The same for the hub of an event with this enqueued time. Asks the service only when `verified` does not cover it. */
  def differenceFor(enqueuedMillis: Long): Option[String] = planned match {
    case wanted: HubGeneration.CreatedAt =>
      if (verified.covers(connection, wanted, enqueuedMillis)) None
      else {
        val found = difference()
        if (found.isEmpty) verified.add(connection, wanted, enqueuedMillis)
        found
      }
    case HubGeneration.Unchecked(_) => None
  }
}
