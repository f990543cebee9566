package org.apache.spark.eventhubs

/** A named factory per failure; the texts are in the catalogue. */
private[spark] object EventHubsErrors {

  def unknownOption(key: String, nearest: Option[String]): EventHubsException = {
    val suggestion = nearest.fold("See docs/options.md for all of them.")(near => s"Did you mean '$near'?")
    new EventHubsException("EVENTHUBS_UNKNOWN_OPTION", Map("key" -> key, "suggestion" -> suggestion))
  }

  def invalidOption(key: String, raw: String, expected: String): EventHubsException =
    new EventHubsException("EVENTHUBS_INVALID_OPTION", Map("key" -> key, "value" -> raw, "expected" -> expected))

  def missingOption(key: String, how: String): EventHubsException =
    new EventHubsException("EVENTHUBS_MISSING_OPTION", Map("key" -> key, "how" -> how))
}
