package org.apache.spark.eventhubs.signin

import java.net.URI

import scala.util.Try

import com.azure.core.util.Configuration
import com.azure.identity.AzureAuthorityHosts

/** Addresses of Microsoft Entra ID. */
private[signin] object AuthorityHost {

  /** Those that MSAL knows: it asks `login.microsoftonline.com` about any other, unless that is switched off. */
  private val Microsofts = Set(
    "login.microsoftonline.com",
    "login.microsoft.com",
    "login.windows.net",
    "sts.windows.net",
    "login.microsoftonline.us",
    "login-us.microsoftonline.com",
    "login.usgovcloudapi.net",
    "login.chinacloudapi.cn",
    "login.partner.microsoftonline.cn"
  )

  /** @param option the user's choice; None is that of this process, as the SDK makes it */
  def of(option: Option[String]): String = option.getOrElse(
    Configuration.getGlobalConfiguration
      .get(Configuration.PROPERTY_AZURE_AUTHORITY_HOST, AzureAuthorityHosts.AZURE_PUBLIC_CLOUD)
      .stripSuffix("/")
  )

  def isMicrosofts(address: String): Boolean =
    Try(new URI(address)).toOption.flatMap(uri => Option(uri.getHost)).exists(host => Microsofts(host.toLowerCase))
}
