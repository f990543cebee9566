package org.apache.spark.eventhubs.signin

import scala.util.control.NonFatal

import com.azure.core.credential.TokenCredential
import com.microsoft.aad.msal4j.MsalException
import org.apache.logging.log4j.core.LoggerContext
import org.apache.logging.log4j.core.config.Configurator
import org.apache.logging.log4j.{Level, LogManager}

/**
 * Raises the SDK's log level to ERROR, unless the user's logging configuration sets it. The SDK logs several warnings
 * for every link that it opens or closes, and the connector logs the important ones itself.
 */
private[eventhubs] object SdkLogging {

  /** Read from a class, because the connector's jar has the SDK under another package name. */
  private val sdk = classOf[TokenCredential].getPackage.getName.stripSuffix(".core.credential")

  /** The library below the SDK's identities. */
  private val signIn = classOf[MsalException].getPackage.getName

  /** They log each attempt that fails, some with a stack trace. The connector reports the failure, once. */
  private val repeated = Seq(
    "core.amqp.implementation.ReactorConnectionCache",
    "core.amqp.implementation.RetryUtil",
    "core.http",
    "identity"
  )

  /** Called before each client is built: Spark may have set up its logging since the last one. */
  def quieten(): Unit =
    try
      LogManager.getContext(false) match {
        case log4j: LoggerContext =>
          if (!isConfigured(log4j, sdk)) {
            Configurator.setLevel(sdk, Level.ERROR)
            repeated.foreach(name => Configurator.setLevel(s"$sdk.$name", Level.OFF))
          }
          if (!isConfigured(log4j, signIn)) Configurator.setLevel(signIn, Level.OFF)
        case _ => ()
      }
    catch {
      // Another logging backend than Spark's, so there is no level to set.
      case _: LinkageError => ()
      case NonFatal(_) => ()
    }

  private def isConfigured(log4j: LoggerContext, library: String): Boolean =
    log4j.getConfiguration.getLoggers.keySet.stream.anyMatch(name => name == library || name.startsWith(s"$library."))
}
