package org.apache.spark.sql.eventhubs.sim

import org.apache.spark.eventhubs.sim.SimHub

/**
 * Which errors of a query are true: docs/internals/simulation.md explains each rule.
 *
 * @param outagesUntil no fault acts after this moment of the run, so that nothing may be away, busy or silent
 */
private[sim] final class ErrorModel(hub: SimHub, model: ReadModel, outagesUntil: Long) {

  /** Whether the hub has what an error says, and no batch was written since that begins behind it. */
  def isTrue(condition: String): Boolean = condition match {
    case "EVENTHUBS_DATA_LOSS.EXPIRED" => hub.partitions.exists(p => p.earliest > model.position(p.id))
    case "EVENTHUBS_DATA_LOSS.RECREATED" => isRecreated
    case "EVENTHUBS_DATA_LOSS.FAILED_OVER" => hub.partitions.exists(p => model.epochOf(p.id) < p.epoch)
    case "EVENTHUBS_DATA_LOSS.GAP" =>
      isRecreated || hub.partitions.exists(p => p.gaps.exists(_ >= model.position(p.id)))
    case outage => ErrorModel.Outages(outage) && hub.world.now < outagesUntil
  }

  private def isRecreated = hub.partitions.exists(p => model.generationOf(p.id) < hub.generation)
}

private object ErrorModel {

  /** What a query may fail with while the service or the network fails. Spark or the user starts it again. */
  private val Outages =
    Set("EVENTHUBS_TIMEOUT", "EVENTHUBS_UNREACHABLE", "EVENTHUBS_THROTTLED", "EVENTHUBS_NOT_FOUND", "EVENTHUBS_SERVICE")
}
