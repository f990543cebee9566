package org.apache.spark.eventhubs.registry

import org.apache.spark.eventhubs.rest.{RestFailure, RestFailures}
import org.apache.spark.eventhubs.{ErrorCondition, EventHubName, EventHubsException}
import org.apache.spark.internal.Logging

/** Errors of a schema registry, one factory per condition. */
private[spark] object RegistryErrors extends Logging {

  /** @param hub whose namespace has the registry */
  def translate(failed: Throwable, hub: EventHubName, doing: String): Throwable =
    RestFailures.translate(failed, hub, doing) { (kind, said, cause) =>
      logDebug(s"The schema registry of '${hub.namespace}' fails while $doing", cause)
      val condition = kind match {
        case RestFailure.Denied => ErrorCondition.SchemaRegistry.Authentication
        case RestFailure.Unreachable => ErrorCondition.SchemaRegistry.Unreachable
        case RestFailure.Other => ErrorCondition.SchemaRegistry.Service
      }
      error(condition, hub, doing, said, Some(cause))
    }

  def noGroup(hub: EventHubName, doing: String, group: String): EventHubsException =
    error(ErrorCondition.SchemaRegistry.NotFound, hub, doing, s"it has no schema group '$group'")

  /** @param version None asks for the newest one */
  def noSchema(hub: EventHubName, name: SchemaName, version: Option[Int]): EventHubsException = error(
    ErrorCondition.SchemaRegistry.NotFound,
    hub,
    s"asking for ${version.fold("the newest version")(number => s"version $number")} of '$name'",
    "it has none"
  )

  /** @param schema where it is from, such as its name in the registry */
  def unsupportedSchema(schema: String, problem: String): EventHubsException = new EventHubsException(
    ErrorCondition.SchemaRegistry.UnsupportedSchema,
    Map("schema" -> schema, "problem" -> problem)
  )

  /** @param coordinates of the module that is missing */
  def noAvro(version: String, coordinates: String): EventHubsException = new EventHubsException(
    ErrorCondition.SchemaRegistry.NoAvro,
    Map("version" -> version, "coordinates" -> coordinates)
  )

  private def error(
      condition: ErrorCondition.SchemaRegistry,
      hub: EventHubName,
      doing: String,
      said: String,
      cause: Option[Throwable] = None
  ) = new EventHubsException(condition, Map("namespace" -> hub.namespace, "doing" -> doing, "said" -> said), cause)
}
