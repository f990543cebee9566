package org.apache.spark.eventhubs

import java.util.{Map => JavaMap}

import scala.jdk.CollectionConverters._

/**
 * Every failure that the connector reports. Programs use the condition, which is stable (`getCondition` in Scala, Java
 * and PySpark). The message says what failed, where, what was expected and what to do.
 *
 * @param condition  a key of `error/eventhubs-error-conditions.json`, such as `EVENTHUBS_UNKNOWN_OPTION`
 * @param parameters values for the placeholders of the condition's message; never a secret
 */
class EventHubsException(condition: String, parameters: Map[String, String], cause: Option[Throwable] = None)
    extends RuntimeException(ErrorConditions.message(condition, parameters), cause.orNull)
    with ConditionThrowable {

  override def getCondition: String = condition

  override def getErrorClass: String = condition

  override def getSqlState: String = ErrorConditions.sqlState(condition)

  override def getMessageParameters: JavaMap[String, String] = parameters.asJava
}
