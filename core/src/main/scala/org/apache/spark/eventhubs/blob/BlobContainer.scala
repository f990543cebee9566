package org.apache.spark.eventhubs.blob

import java.net.URI
import java.util.Locale

import scala.util.Try

import org.apache.spark.eventhubs.options.CheckpointStoreOptions.{ConnectionString, Container}
import org.apache.spark.eventhubs.options.CheckpointStoreSettings
import org.apache.spark.eventhubs.{Credential, EventHubsErrors, EventHubsException, Secret}

/**
 * A container and how to sign in to it.
 *
 * @param url without a signature or a slash at its end, such as `https://acc.blob.core.windows.net/checkpoints`
 */
private[eventhubs] final case class BlobContainer(url: String, credential: StorageCredential)

private[eventhubs] object BlobContainer {

  private val Name = "[a-z0-9](?:-?[a-z0-9])*".r
  private val Expected =
    "a container's URL such as https://<account>.blob.core.windows.net/<container>, with or without a SAS token"

  /**
   * @param hub the credential of the event hub, for a URL without a signature
   * @throws EventHubsException EVENTHUBS_INVALID_OPTION, EVENTHUBS_MISSING_OPTION or EVENTHUBS_CONFLICTING_OPTIONS;
   *         none shows a secret
   */
  def of(settings: CheckpointStoreSettings, hub: Credential): BlobContainer = {
    val written = settings.container.value.trim
    val isUrl = written.contains("://")
    settings.connectionString.map(text => StorageConnectionString.parse(text.value)) match {
      case Some(account) if isUrl => sameAccount(account, parse(written))
      case Some(account) => BlobContainer(s"${account.endpoint}/${checkedName(written)}", account.credential)
      case None if isUrl => withoutConnectionString(parse(written), hub)
      case None => throw nameAlone(written)
    }
  }

  private final case class Address(url: String, signature: Option[Secret])

  private def parse(text: String): Address = {
    val parsed = for {
      uri <- Try(new URI(text)).toOption
      scheme <- Option(uri.getScheme).map(_.toLowerCase(Locale.ROOT)).filter(Set("http", "https"))
      _ <- Option(uri.getHost)
      segments = uri.getRawPath.split('/').toSeq.filter(_.nonEmpty)
      // An emulator has the account's name in the path.
      if segments.size == 1 || segments.size == 2
      if Option(uri.getRawUserInfo).isEmpty && isName(segments.last)
    } yield {
      val host = uri.getRawAuthority.toLowerCase(Locale.ROOT)
      Address(s"$scheme://$host/${segments.mkString("/")}", Option(uri.getRawQuery).filter(_.nonEmpty).map(Secret(_)))
    }
    parsed.getOrElse(throw EventHubsErrors.invalidOption(Container.key, shown(text), Expected))
  }

  private def withoutConnectionString(address: Address, hub: Credential): BlobContainer =
    (address.signature, hub) match {
      case (Some(token), _) => BlobContainer(address.url, StorageCredential.SharedAccess(token))
      case (None, entra: Credential.Entra) if address.url.startsWith("https:") =>
        BlobContainer(address.url, StorageCredential.Entra(entra))
      case (None, _: Credential.Entra) =>
        throw EventHubsErrors.invalidOption(Container.key, address.url, "https, because it sends a sign-in token")
      case (None, _) =>
        throw EventHubsErrors.missingOption(
          ConnectionString.key,
          "The event hub's key is not valid for storage. Set this option, add a SAS token to the URL in " +
            s"'${Container.key}', or sign in with 'eventhubs.auth.type'."
        )
    }

  private def sameAccount(account: StorageConnectionString, address: Address): BlobContainer =
    if (address.signature.isDefined)
      throw EventHubsErrors.conflictingOptions(
        s"'${Container.key}' has a SAS token and '${ConnectionString.key}' is set",
        "Remove one of the two credentials."
      )
    else if (!address.url.startsWith(s"${account.endpoint}/"))
      throw EventHubsErrors.conflictingOptions(
        s"'${Container.key}' is '${address.url}' and '${ConnectionString.key}' is one of ${account.endpoint}",
        s"Set '${Container.key}' to the container's name, or remove the wrong option."
      )
    else BlobContainer(address.url, account.credential)

  private def nameAlone(written: String): EventHubsException =
    if (isName(written))
      EventHubsErrors.missingOption(
        ConnectionString.key,
        s"'${Container.key}' is a container's name, so the storage account is unknown. Set this option, or write the " +
          "container's URL."
      )
    else EventHubsErrors.invalidOption(Container.key, shown(written), Expected)

  private def checkedName(written: String): String =
    if (isName(written)) written
    else throw EventHubsErrors.invalidOption(Container.key, shown(written), "a container's name or URL")

  private def isName(text: String): Boolean =
    text.length >= 3 && text.length <= 63 && Name.pattern.matcher(text).matches()

  /** What a user wrote, without the signature. A connection string in the wrong option is not shown at all. */
  def shown(text: String): String =
    if (text.contains(";")) "***"
    else text.indexOf('?') match {
      case -1 => text
      case start => s"${text.substring(0, start)}?***"
    }
}
