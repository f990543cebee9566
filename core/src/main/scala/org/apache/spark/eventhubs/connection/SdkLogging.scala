package org.apache.spark.eventhubs.connection

import scala.util.control.NonFatal

import com.azure.messaging.eventhubs.EventHubClientBuilder
import org.apache.logging.log4j.core.LoggerContext
import org.apache.logging.log4j.core.config.Configurator
import org.apache.logging.log4j.{Level, LogManager}

/**
 * Raises the SDK's log level to ERROR, unless the user's logging configuration sets it. The SDK logs several warnings
 * for every link that it opens or closes, and the connector logs the important ones itself.
 */
private[eventhubs] object SdkLogging {

  /** Read from a class, because the connector's jar has the SDK under another package name. */
  private val sdk = {
    val name = classOf[EventHubClientBuilder].getPackage.getName
    name.stripSuffix(".messaging.eventhubs")
  }

  lazy val quieten: Unit =
    try
      LogManager.getContext(false) match {
        case log4j: LoggerContext if !isConfigured(log4j) =>
          Configurator.setLevel(sdk, Level.ERROR)
          // It logs each failed attempt as an error, with frames of the link. The connector reports the failure.
          Configurator.setLevel(s"$sdk.core.amqp.implementation.RetryUtil", Level.OFF)
        case _ => ()
      }
    catch {
      // Another logging backend than Spark's, so there is no level to set.
      case _: LinkageError => ()
      case NonFatal(_) => ()
    }

  private def isConfigured(log4j: LoggerContext): Boolean =
    log4j.getConfiguration.getLoggers.keySet.stream.anyMatch(name => name == sdk || name.startsWith(s"$sdk."))
}
