package org.apache.spark.eventhubs.connection

import java.time.Duration

import com.azure.core.amqp.{AmqpRetryMode, AmqpRetryOptions, AmqpTransportType, ProxyOptions}
import com.azure.core.credential.TokenCredential
import com.azure.core.util.ClientOptions
import com.azure.identity.{
  ClientSecretCredentialBuilder,
  DefaultAzureCredentialBuilder,
  ManagedIdentityCredentialBuilder,
  WorkloadIdentityCredentialBuilder
}
import com.azure.messaging.eventhubs.EventHubClientBuilder

import org.apache.spark.eventhubs.Credential
import org.apache.spark.eventhubs.options.{ConnectionSettings, Transport}

/** Settings to a builder of the Azure SDK. Clients built from one builder with `shareConnection` share its AMQP connection. */
private[spark] object SdkBuilders {

  /** Name under which the service's logs show this connector. */
  private val ApplicationId = "spark-eventhubs"

  def apply(settings: ConnectionSettings): EventHubClientBuilder = {
    SdkLogging.quieten
    val builder = authenticated(settings)
      .clientOptions(new ClientOptions().setApplicationId(ApplicationId))
      .retryOptions(retryOptions(settings))
      .transportType(settings.transport match {
        case Transport.Amqp => AmqpTransportType.AMQP
        case Transport.AmqpWebSockets => AmqpTransportType.AMQP_WEB_SOCKETS
      })
    val direct = settings.transport match {
      // Else the SDK refuses where the environment names a proxy for HTTP, which is not for this.
      case Transport.Amqp => builder.proxyOptions(ProxyOptions.SYSTEM_DEFAULTS)
      case Transport.AmqpWebSockets => builder
    }
    settings.customEndpoint.fold(direct)(uri => direct.customEndpointAddress(uri.toString))
  }

  /** The SDK waits `tryTimeout` for each of its attempts, so all of them together stay near the operation's bound. */
  private def retryOptions(settings: ConnectionSettings): AmqpRetryOptions = {
    val attempts = settings.maxRetries + 1
    val perTry = settings.operationTimeout.dividedBy(attempts.toLong)
    new AmqpRetryOptions()
      .setMode(AmqpRetryMode.EXPONENTIAL)
      .setMaxRetries(settings.maxRetries)
      .setTryTimeout(if (perTry.compareTo(Duration.ofSeconds(1)) < 0) Duration.ofSeconds(1) else perTry)
  }

  private def authenticated(settings: ConnectionSettings): EventHubClientBuilder = {
    val builder = new EventHubClientBuilder
    settings.credential match {
      case Credential.SharedKey(policy, key) =>
        builder.connectionString(connectionString(
          settings,
          s"SharedAccessKeyName=$policy;SharedAccessKey=${key.value}"
        ))
      case Credential.SharedAccessSignature(token) =>
        builder.connectionString(connectionString(settings, s"SharedAccessSignature=${token.value}"))
      case Credential.ClientSecret(tenant, client, secret) =>
        entra(
          builder,
          settings,
          new ClientSecretCredentialBuilder().tenantId(tenant).clientId(client).clientSecret(secret.value).build()
        )
      case Credential.ManagedIdentity(client) =>
        val identity = new ManagedIdentityCredentialBuilder
        entra(builder, settings, client.fold(identity)(identity.clientId).build())
      case Credential.WorkloadIdentity(tenant, client) =>
        val identity = new WorkloadIdentityCredentialBuilder
        tenant.foreach(identity.tenantId)
        client.foreach(identity.clientId)
        entra(builder, settings, identity.build())
      case Credential.DefaultAzure =>
        entra(builder, settings, new DefaultAzureCredentialBuilder().build())
    }
  }

  private def entra(builder: EventHubClientBuilder, settings: ConnectionSettings, credential: TokenCredential) =
    builder.credential(settings.hub.namespace, settings.hub.name, credential)

  /** The SDK takes the development flag and a port only in this form. */
  private def connectionString(settings: ConnectionSettings, credential: String): String = {
    val port = settings.port.fold("")(number => s":$number")
    val emulator = if (settings.developmentEmulator) ";UseDevelopmentEmulator=true" else ""
    s"Endpoint=sb://${settings.hub.namespace}$port;$credential;EntityPath=${settings.hub.name}$emulator"
  }
}
