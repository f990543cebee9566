package org.apache.spark.eventhubs

import java.util.{Map => JavaMap}

import scala.jdk.CollectionConverters._

import org.apache.spark.{QueryContext, SparkRuntimeException}

/**
 * Every failure that the connector reports. Programs use the condition, which is stable (`getCondition` in Scala, Java
 * and PySpark). The message says what failed, where, what was expected and what to do.
 *
 * It extends Spark's runtime exception, because PySpark makes a Python exception only of Spark's own classes. Its base
 * class accepts only conditions of Spark's catalogue, so it gets one whose message is a parameter, and everything that
 * depends on the condition is overridden here.
 *
 * A refusal explains itself, so logs show it in one line: it has no cause, and its stack trace has only the user's own
 * calls. With the level DEBUG the connector logs the cause.
 *
 * @param parameters values for the placeholders of the condition's message; keys and signatures in them are hidden
 */
class EventHubsException private[spark] (
    private[spark] val condition: ErrorCondition,
    parameters: Map[String, String],
    cause: Option[Throwable] = None
) extends SparkRuntimeException(
      EventHubsException.SparkCondition,
      Map("message" -> condition.name),
      cause.filter(_ => condition.isUnexpected).orNull,
      Array.empty[QueryContext],
      ""
    )
    with ConditionThrowable {

  /** A connection string may have been given as another option, whose value is a parameter. */
  private val shown = parameters.map { case (name, value) => name -> ErrorConditions.withoutSecrets(value) }

  private val message = ErrorConditions.message(condition, shown)

  setStackTrace(getStackTrace)

  /** Spark adds the calls of the driver to a failure of a task, and those of each thread that the failure passes. */
  override def setStackTrace(calls: Array[StackTraceElement]): Unit = super.setStackTrace(
    if (condition.isUnexpected) calls else calls.filterNot(EventHubsException.isMachinery)
  )

  override def getMessage: String = message

  override def getCondition: String = condition.name

  override def getErrorClass: String = condition.name

  override def getSqlState: String = ErrorConditions.sqlState(condition)

  override def getMessageParameters: JavaMap[String, String] = shown.asJava
}

private[eventhubs] object EventHubsException {

  /** Its message is `<message>`, in every version of Spark. */
  private val SparkCondition = "INTERNAL_ERROR"

  private val Machinery =
    Seq("org.apache.spark.", "scala.", "java.", "javax.", "jdk.", "sun.", "py4j.", "com.azure.", "reactor.")

  private[eventhubs] def isMachinery(frame: StackTraceElement): Boolean =
    Machinery.exists(frame.getClassName.startsWith)
}
