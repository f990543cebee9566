package org.apache.spark.eventhubs.connection

import scala.util.control.NonFatal

import com.azure.messaging.eventhubs.EventHubClientBuilder
import org.apache.logging.log4j.core.LoggerContext
import org.apache.logging.log4j.core.config.Configurator
import org.apache.logging.log4j.{Level, LogManager}

/**
 * The SDK warns of every link that it opens or closes, several lines each. What matters of it this connector reports
 * itself, so the SDK is held to errors, unless the user's logging configuration says something about it.
 */
private[eventhubs] object SdkLogging {

  /** Taken from a class, because in the connector's jar the SDK has another name. */
  private val sdk = {
    val name = classOf[EventHubClientBuilder].getPackage.getName
    name.stripSuffix(".messaging.eventhubs")
  }

  lazy val quieten: Unit =
    try
      LogManager.getContext(false) match {
        case log4j: LoggerContext if !isConfigured(log4j) => Configurator.setLevel(sdk, Level.ERROR)
        case _ => ()
      }
    catch {
      // Another logging backend than Spark's own: nothing of ours to change there.
      case _: LinkageError => ()
      case NonFatal(_) => ()
    }

  private def isConfigured(log4j: LoggerContext): Boolean =
    log4j.getConfiguration.getLoggers.keySet.stream.anyMatch(name => name == sdk || name.startsWith(s"$sdk."))
}
