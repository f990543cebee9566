package org.apache.spark.sql.eventhubs.bodies

import org.apache.spark.eventhubs.options.RegistrySettings

/** The settings of a function in a plan, whose texts they would make long. */
private[eventhubs] final case class BodyOptions(settings: RegistrySettings) {
  override def toString: String = "..."
}
