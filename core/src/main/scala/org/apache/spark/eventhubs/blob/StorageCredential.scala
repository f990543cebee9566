package org.apache.spark.eventhubs.blob

import org.apache.spark.eventhubs.{Credential, Secret}

/** How requests to a storage account are authorized. No `toString` shows a secret. */
private[eventhubs] sealed trait StorageCredential

private[eventhubs] object StorageCredential {

  /** @param key Base64, as the portal shows it */
  final case class AccountKey(account: String, key: Secret) extends StorageCredential

  /** @param token the query string of a URL, without `?` */
  final case class SharedAccess(token: Secret) extends StorageCredential

  /** Signs in as for the event hub. */
  final case class Entra(credential: Credential.Entra) extends StorageCredential
}
