package org.apache.spark.eventhubs

import java.util.{Map => JavaMap}

import scala.jdk.CollectionConverters._

/**
 * Every failure that this connector reports itself. The condition is stable and meant for programs
 * (`getCondition` in Scala, Java and PySpark); the message says what, where, what was expected and what to do.
 *
 * @param condition  a key of the catalogue `error/eventhubs-error-conditions.json`, such as `EVENTHUBS_UNKNOWN_OPTION`
 * @param parameters the facts that the catalogue's template names; never a secret
 */
class EventHubsException(condition: String, parameters: Map[String, String], cause: Option[Throwable] = None)
    extends RuntimeException(ErrorCatalogue.message(condition, parameters), cause.orNull)
    with ConditionThrowable {

  override def getCondition: String = condition

  override def getErrorClass: String = condition

  override def getSqlState: String = ErrorCatalogue.sqlState(condition)

  override def getMessageParameters: JavaMap[String, String] = parameters.asJava
}
