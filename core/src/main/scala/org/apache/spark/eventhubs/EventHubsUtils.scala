package org.apache.spark.eventhubs

import org.apache.spark.eventhubs.options.ConnectionStringParts
import org.apache.spark.internal.Logging

/** What notebooks for the legacy connector call by this name, from Python through `_jvm` too. */
object EventHubsUtils extends Logging {

  private lazy val sayItOnce: Unit =
    logWarning("EventHubsUtils.encrypt is no longer needed: it returns the connection string as it is")

  /** The connection string itself. The legacy encrypted it with its own version number, which protected nothing. */
  def encrypt(connectionString: String): String = {
    sayItOnce
    connectionString
  }

  /** What a conf or a notebook of the legacy connector 2.3.22 holds, as it was before it was encrypted. */
  def decrypt(connectionString: String): String = ConnectionStringParts.plain(connectionString)
}
