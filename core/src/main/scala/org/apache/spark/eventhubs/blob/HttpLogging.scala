package org.apache.spark.eventhubs.blob

import scala.util.control.NonFatal

import com.azure.core.http.HttpClient
import org.apache.logging.log4j.core.LoggerContext
import org.apache.logging.log4j.core.config.Configurator
import org.apache.logging.log4j.{Level, LogManager}

/**
 * Turns the log of the SDK's HTTP client off, unless the user's logging configuration sets it. It logs an error for
 * each attempt that fails, which the connector reports once, or rarely, itself.
 */
private[blob] object HttpLogging {

  /** Read from a class, because the connector's jar has the SDK under another package name. */
  private val http = classOf[HttpClient].getPackage.getName

  lazy val quieten: Unit =
    try
      LogManager.getContext(false) match {
        case log4j: LoggerContext if !isConfigured(log4j) => Configurator.setLevel(http, Level.OFF)
        case _ => ()
      }
    catch {
      // Another logging backend than Spark's, so there is no level to set.
      case _: LinkageError => ()
      case NonFatal(_) => ()
    }

  private def isConfigured(log4j: LoggerContext): Boolean =
    log4j.getConfiguration.getLoggers.keySet.stream.anyMatch(_.startsWith(http))
}
