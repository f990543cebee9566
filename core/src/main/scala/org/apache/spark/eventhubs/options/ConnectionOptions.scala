package org.apache.spark.eventhubs.options

import java.net.URI
import java.time.Duration

import org.apache.spark.eventhubs.credentials.{CertificateFile, ProviderClass}

/** Options of the connection, for reading and writing: the hub, the credential and the transport. */
private[spark] object ConnectionOptions {
  import OptionType._

  val ConnectionString: EventHubsOption[String] = option(
    "eventhubs.connectionString",
    Text,
    None,
    "Connection string of the event hub, as the Azure portal shows it. For a namespace's connection string also set " +
      "`eventhubs.name`. A value encrypted by the legacy connector 2.3.22 is accepted.",
    secret = true
  )

  val Namespace: EventHubsOption[String] = option(
    "eventhubs.namespace",
    NamespaceHost,
    None,
    "Host name of the namespace, such as `contoso.servicebus.windows.net`. Set it when there is no connection string."
  )

  val Name: EventHubsOption[String] = option(
    "eventhubs.name",
    HubNames,
    None,
    "Name of the event hub. Set it when the connection string has no `EntityPath`. A query reads several event hubs of " +
      "the namespace when their names are separated by commas, such as `orders,returns`. A query that writes may leave " +
      "both out: then the column `eventHub` names the hub of each row.",
    aliases = Seq("eventhubs.eventHubName")
  )

  val AuthType: EventHubsOption[AuthenticationType] = option(
    "eventhubs.auth.type",
    Choice(AuthenticationType.all.map(authType => authType.word -> authType): _*),
    None,
    "How the connector signs in. Set it when the connection string has no key. `sas` needs `auth.sasToken`. " +
      "`clientSecret` needs `auth.tenantId`, `auth.clientId` and `auth.clientSecret`; `clientCertificate` needs " +
      "`auth.certificatePath` instead of the secret. `managedIdentity` and `workloadIdentity` use the identity of " +
      "the machine or pod. `default` tries the environment, workload identity, managed identity and developer " +
      "tools, in the Azure SDK's order. `credentialProvider` uses a class of yours."
  )

  val TenantId: EventHubsOption[String] =
    option(
      "eventhubs.auth.tenantId",
      Text,
      None,
      "Microsoft Entra tenant id, for `clientSecret`, `clientCertificate` and `workloadIdentity`."
    )

  val ClientId: EventHubsOption[String] = option(
    "eventhubs.auth.clientId",
    Text,
    None,
    "Client id of the application or user-assigned identity, for `clientSecret`, `clientCertificate`, " +
      "`managedIdentity` and `workloadIdentity`."
  )

  val ClientSecret: EventHubsOption[String] = option(
    "eventhubs.auth.clientSecret",
    Text,
    None,
    "Client secret of the application, for `clientSecret`.",
    secret = true
  )

  val SasToken: EventHubsOption[String] = option(
    "eventhubs.auth.sasToken",
    Text,
    None,
    "Shared access signature, for `sas`. The query fails when it expires. With `{file:/path}`, the connector reads " +
      "the file again before the token expires.",
    secret = true
  )

  val CertificatePath: EventHubsOption[String] = option(
    CertificateFile.PathKey,
    Text,
    None,
    "PEM or PFX file with the application's certificate and private key, for `clientCertificate`. It must be on the " +
      "driver and on every executor. A relative path is a file that Spark distributes (`--files`)."
  )

  val CertificatePassword: EventHubsOption[String] = option(
    CertificateFile.PasswordKey,
    Text,
    None,
    "Password of a PFX file, for `clientCertificate`.",
    secret = true
  )

  val FederatedTokenFile: EventHubsOption[String] = option(
    "eventhubs.auth.federatedTokenFile",
    Text,
    None,
    "File with the pod's federated token, for `workloadIdentity`. It must be on the driver and on every executor.",
    whenUnset = "the environment variable `AZURE_FEDERATED_TOKEN_FILE`"
  )

  val AuthorityHost: EventHubsOption[String] = option(
    "eventhubs.auth.authorityHost",
    Authority,
    None,
    "Where Microsoft Entra ID is, for `clientSecret`, `clientCertificate`, `workloadIdentity` and `default`: " +
      "`AzureCloud`, `AzureUSGovernment`, `AzureChinaCloud`, or an HTTPS address. At an address that is not " +
      "Microsoft's, the connector does not ask Microsoft's public cloud about the authority.",
    whenUnset = "the environment variable `AZURE_AUTHORITY_HOST`, else `AzureCloud`"
  )

  val CredentialProvider: EventHubsOption[String] = option(
    ProviderClass.ClassKey,
    Text,
    None,
    "Class of yours that implements `org.apache.spark.eventhubs.credentials.TokenProvider`, in a jar of the driver " +
      "and the executors. It replaces `auth.type` and the AAD callback of the legacy connector."
  )

  val TokenParameters: EventHubsOption[String] = option(
    ProviderClass.ParametersKey,
    Text,
    None,
    "JSON object of texts, which the constructor of `auth.credentialProvider` gets as a `java.util.Map`. A value may " +
      "name the place of a secret.",
    secret = true
  )

  val TransportOption: EventHubsOption[Transport] = option(
    "eventhubs.transport",
    Choice("amqp" -> Transport.Amqp, "amqpWebSockets" -> Transport.AmqpWebSockets),
    Some(Transport.Amqp),
    "`amqp` uses port 5671. `amqpWebSockets` uses port 443, for networks that allow only HTTPS."
  )

  val CustomEndpoint: EventHubsOption[URI] = option(
    "eventhubs.customEndpoint",
    HostAndPort,
    None,
    "Host, with or without port, that the connector connects to instead of the namespace, such as a gateway in front " +
      "of a private endpoint. Its certificate must be valid for this host; tokens are still for the namespace."
  )

  val TrustedCertificates: EventHubsOption[String] = option(
    "eventhubs.tls.trustedCertificates",
    Text,
    None,
    "Path of a PEM file with certificates of authorities that the connection and the sign-in trust, in addition to " +
      "those of the JVM. The driver and every executor need the file; a relative path may name a file of `spark.files`."
  )

  val ProxyAddressOption: EventHubsOption[ProxyAddress] = option(
    "eventhubs.proxy.address",
    HttpProxyAddress,
    None,
    "HTTP proxy, such as `proxy.contoso.com:3128`. Needs `amqpWebSockets`. If not set, the environment " +
      "(`HTTPS_PROXY` or `HTTP_PROXY`, and `NO_PROXY`) or the JVM (`https.proxyHost`) names the proxy. See " +
      "docs/platforms.md."
  )

  val ProxyUsername: EventHubsOption[String] = option(
    "eventhubs.proxy.username",
    Text,
    None,
    "User name for signing in to the proxy."
  )

  val ProxyPassword: EventHubsOption[String] = option(
    "eventhubs.proxy.password",
    Text,
    None,
    "Password for signing in to the proxy.",
    secret = true
  )

  val ProxySchemeOption: EventHubsOption[ProxyScheme] = option(
    "eventhubs.proxy.authentication",
    Choice("basic" -> ProxyScheme.Basic, "digest" -> ProxyScheme.Digest),
    Some(ProxyScheme.Basic),
    "How the user name and the password are sent to the proxy."
  )

  val OperationTimeout: EventHubsOption[Duration] = option(
    "eventhubs.operationTimeout",
    PositiveDuration,
    Some(Duration.ofSeconds(60)),
    "Longest wait for one operation of the service, retries included. If only `receiverTimeout` is set and it is " +
      "longer, its value is used."
  )

  val MaxRetries: EventHubsOption[Int] = option(
    "eventhubs.retry.maxRetries",
    IntRange(0, 100),
    Some(3),
    "Sets how long one attempt to connect or to send may take: `operationTimeout / (maxRetries + 1)`, 15 s by " +
      "default and 1 s at least. It does not limit the retries of reads and writes: these end with " +
      "`operationTimeout` or `sendTimeout`. It limits the retries of the SDK while a reader connects, of the check " +
      "before a write, and of the list of hubs (2 at most)."
  )

  val IgnoreUnknownOptions: EventHubsOption[Boolean] = option(
    "eventhubs.ignoreUnknownOptions",
    Flag,
    Some(false),
    "`true` logs a warning instead of rejecting the name of an option: a name that is unknown, lacks its prefix, or " +
      "belongs to Spark's Kafka source or to the legacy connector. Wrong values are still rejected."
  )

  val all: Seq[EventHubsOption[_]] = Seq(
    ConnectionString,
    Namespace,
    Name,
    AuthType,
    TenantId,
    ClientId,
    ClientSecret,
    SasToken,
    CertificatePath,
    CertificatePassword,
    FederatedTokenFile,
    AuthorityHost,
    CredentialProvider,
    TokenParameters,
    TransportOption,
    CustomEndpoint,
    TrustedCertificates,
    ProxyAddressOption,
    ProxyUsername,
    ProxyPassword,
    ProxySchemeOption,
    OperationTimeout,
    MaxRetries,
    IgnoreUnknownOptions
  )

  private def option[A](
      key: String,
      valueType: OptionType[A],
      default: Option[A],
      doc: String,
      aliases: Seq[String] = Nil,
      secret: Boolean = false,
      whenUnset: String = ""
  ): EventHubsOption[A] =
    EventHubsOption(key, valueType, default, doc, OptionScope.Connection, whenUnset, aliases, secret)
}
