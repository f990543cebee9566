package org.apache.spark.eventhubs.options

import java.net.URI
import java.time.Duration

/** Options that reading and writing share: which hub, as whom, over what. */
private[spark] object ConnectionOptions {
  import OptionType._

  val ConnectionString: EventHubsOption[String] = option(
    "eventhubs.connectionString",
    Text,
    None,
    "Connection string of the hub, as the portal shows it. A namespace's string works too, with `eventhubs.name`. " +
      "A value that the legacy connector 2.3.22 encrypted is understood.",
    secret = true
  )

  val Namespace: EventHubsOption[String] = option(
    "eventhubs.namespace",
    Host,
    None,
    "Host name of the namespace, such as `contoso.servicebus.windows.net`, when there is no connection string."
  )

  val Name: EventHubsOption[String] = option(
    "eventhubs.name",
    Text,
    None,
    "Name of the event hub, when the connection string has no EntityPath.",
    aliases = Seq("eventhubs.eventHubName")
  )

  val AuthType: EventHubsOption[SignIn] = option(
    "eventhubs.auth.type",
    Choice(
      "sas" -> SignIn.Sas,
      "clientSecret" -> SignIn.ClientSecret,
      "managedIdentity" -> SignIn.ManagedIdentity,
      "workloadIdentity" -> SignIn.WorkloadIdentity,
      "default" -> SignIn.Default
    ),
    None,
    "How the connector signs in, when the connection string has no key: `sas` with `auth.sasToken`; `clientSecret` with " +
      "`auth.tenantId`, `auth.clientId` and `auth.clientSecret`; `managedIdentity`; `workloadIdentity`; or `default`, " +
      "the Azure SDK's chain of environment, workload identity, managed identity and developer tools."
  )

  val TenantId: EventHubsOption[String] =
    option("eventhubs.auth.tenantId", Text, None, "Microsoft Entra tenant, for `clientSecret` and `workloadIdentity`.")

  val ClientId: EventHubsOption[String] = option(
    "eventhubs.auth.clientId",
    Text,
    None,
    "Application or user-assigned identity, for `clientSecret`, `managedIdentity` and `workloadIdentity`."
  )

  val ClientSecret: EventHubsOption[String] = option(
    "eventhubs.auth.clientSecret",
    Text,
    None,
    "Secret of the application, for `clientSecret`.",
    secret = true
  )

  val SasToken: EventHubsOption[String] = option(
    "eventhubs.auth.sasToken",
    Text,
    None,
    "Shared access signature that was made elsewhere, for `sas`. It cannot be renewed: the query fails when it expires.",
    secret = true
  )

  val TransportOption: EventHubsOption[Transport] = option(
    "eventhubs.transport",
    Choice("amqp" -> Transport.Amqp, "amqpWebSockets" -> Transport.AmqpWebSockets),
    Some(Transport.Amqp),
    "`amqp` (port 5671), or `amqpWebSockets` (port 443) where only HTTPS gets out."
  )

  val CustomEndpoint: EventHubsOption[URI] = option(
    "eventhubs.customEndpoint",
    Address,
    None,
    "Host, with or without port, to open the connection to instead of the namespace, such as a gateway before a private " +
      "endpoint. The namespace stays what certificates and tokens are checked for."
  )

  val OperationTimeout: EventHubsOption[Duration] = option(
    "eventhubs.operationTimeout",
    Interval,
    Some(Duration.ofSeconds(60)),
    "Longest wait for one operation of the service, its retries included. When it is left out and `receiverTimeout` is longer, " +
      "that one holds."
  )

  val MaxRetries: EventHubsOption[Int] = option(
    "eventhubs.retry.maxRetries",
    Count(0, 100),
    Some(3),
    "Times that a failed operation is tried again within its timeout, with growing pauses."
  )

  val IgnoreUnknownOptions: EventHubsOption[Boolean] = option(
    "eventhubs.ignoreUnknownOptions",
    Flag,
    Some(false),
    "Whether options under `eventhubs.` that the connector does not know, or no longer supports, are warned of instead of refused."
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
    TransportOption,
    CustomEndpoint,
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
      secret: Boolean = false
  ): EventHubsOption[A] =
    EventHubsOption(key, valueType, default, doc, OptionScope.Connection, aliases = aliases, secret = secret)
}
