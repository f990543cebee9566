package org.apache.spark.sql.eventhubs

import org.apache.spark.sql.SparkSessionExtensions
import org.apache.spark.sql.eventhubs.bodies.{BodyFunctions, RegisterSchemas}

/**
 * Adds the SQL functions of the connector to a session. Set `spark.sql.extensions` to
 * `org.apache.spark.sql.eventhubs.EventHubsExtensions` before the session starts.
 */
class EventHubsExtensions extends (SparkSessionExtensions => Unit) {
  override def apply(extensions: SparkSessionExtensions): Unit = {
    BodyFunctions.all.foreach(extensions.injectFunction)
    extensions.injectResolutionRule(_ => RegisterSchemas)
  }
}
