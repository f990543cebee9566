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
  def difference(): Option[String] = planned.created.flatMap { wanted =>
    Some(current()).filter(_ != wanted).map(found => s"the range was planned for $wanted, but this is $found")
  }

  /**
   * Returns the [[difference]] for an event with this enqueued time. Asks the service only when `verified` does not
   * cover it.
   */
  def differenceFor(enqueuedMillis: Long): Option[String] = planned.created.flatMap { wanted =>
    if (verified.covers(connection, wanted, enqueuedMillis)) None
    else {
      val found = difference()
      if (found.isEmpty) verified.add(connection, wanted, enqueuedMillis)
      found
    }
  }

  /** How an event or an answer of this epoch differs from what was planned. None when it does not. */
  def differenceInEpoch(partitionId: Int, epoch: Int): Option[String] =
    planned.epochOf(partitionId).filter(epoch > _).map { known =>
      s"the range was planned for epoch $known, but this is epoch $epoch"
    }
}
