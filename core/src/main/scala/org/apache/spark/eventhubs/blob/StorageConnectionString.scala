package org.apache.spark.eventhubs.blob

import org.apache.spark.eventhubs.options.CheckpointStoreOptions.ConnectionString
import org.apache.spark.eventhubs.{EventHubsErrors, EventHubsException, Secret}

/**
 * A parsed connection string of a storage account.
 *
 * @param endpoint of its blobs, without a slash at its end
 */
private[eventhubs] final case class StorageConnectionString(endpoint: String, credential: StorageCredential)

private[eventhubs] object StorageConnectionString {

  /** Account and key of every storage emulator. They are public. */
  private val EmulatorAccount = "devstoreaccount1"
  private val EmulatorKey = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
  private val EmulatorEndpoint = s"http://127.0.0.1:10000/$EmulatorAccount"

  /** @throws EventHubsException EVENTHUBS_INVALID_OPTION; it shows no part of the string */
  def parse(text: String): StorageConnectionString = {
    val parts = text.trim.split(';').map(_.trim).filter(_.nonEmpty).map { part =>
      part.split("=", 2) match {
        case Array(name, value) if value.trim.nonEmpty => name.trim.toLowerCase -> value.trim
        case _ => throw wrong("it has a part without a value")
      }
    }.toMap
    if (parts.get("usedevelopmentstorage").exists(_.equalsIgnoreCase("true")))
      StorageConnectionString(EmulatorEndpoint, StorageCredential.AccountKey(EmulatorAccount, Secret(EmulatorKey)))
    else if (parts.contains("sharedaccesskeyname") || parts.contains("entitypath"))
      throw wrong("it is one of Event Hubs, not of a storage account")
    else StorageConnectionString(endpoint(parts), credential(parts))
  }

  private def endpoint(parts: Map[String, String]): String = {
    def ofAccount = parts.get("accountname").map { account =>
      val protocol = parts.getOrElse("defaultendpointsprotocol", "https")
      s"$protocol://$account.blob.${parts.getOrElse("endpointsuffix", "core.windows.net")}"
    }
    val written = parts.get("blobendpoint").orElse(ofAccount).getOrElse(throw wrong("it has no AccountName"))
    written.stripSuffix("/")
  }

  private def credential(parts: Map[String, String]): StorageCredential =
    (parts.get("accountname"), parts.get("accountkey"), parts.get("sharedaccesssignature")) match {
      case (Some(account), Some(key), None) => StorageCredential.AccountKey(account, Secret(key))
      case (_, None, Some(token)) => StorageCredential.SharedAccess(Secret(token.stripPrefix("?")))
      case (_, Some(_), Some(_)) => throw wrong("it has both an AccountKey and a SharedAccessSignature")
      case _ => throw wrong("it has no AccountKey and no SharedAccessSignature")
    }

  private def wrong(problem: String): EventHubsException = EventHubsErrors.invalidOption(
    ConnectionString.key,
    "***",
    s"a storage account's connection string such as AccountName=<name>;AccountKey=<key>; $problem"
  )
}
