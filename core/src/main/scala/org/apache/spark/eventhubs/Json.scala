package org.apache.spark.eventhubs

import com.fasterxml.jackson.databind.ObjectMapper

/** The one JSON mapper; thread-safe once configured, as it is here. */
private[spark] object Json {
  val mapper = new ObjectMapper
}
