package org.apache.spark.eventhubs.connection

import java.time.Duration
import javax.net.ssl.SSLContext

import com.azure.core.amqp.{AmqpRetryMode, AmqpRetryOptions, AmqpTransportType, ProxyOptions}
import com.azure.core.util.ClientOptions
import com.azure.messaging.eventhubs.EventHubClientBuilder

import org.apache.spark.eventhubs.options.{ConnectionOptions, ConnectionSettings, Transport}
import org.apache.spark.eventhubs.proxy.{HttpProxy, UsedProxies}
import org.apache.spark.eventhubs.signin.{CurrentSharedAccess, EntraSignIn, SdkLogging, SignInNetwork}
import org.apache.spark.eventhubs.tls.TrustedCertificates
import org.apache.spark.eventhubs.{Credential, EventHubsErrors, PlainSecret}

/** Turns settings into a client builder of the Azure SDK. */
private[eventhubs] object SdkBuilders {

  /** The connector's name in the service's logs. */
  private val ApplicationId = "spark-eventhubs"

  def apply(settings: ConnectionSettings): EventHubClientBuilder = {
    SdkLogging.quieten()
    val builder = authenticated(settings)
      .clientOptions(new ClientOptions().setApplicationId(ApplicationId))
      .retryOptions(retryOptions(settings))
      .transportType(settings.transport match {
        case Transport.Amqp => AmqpTransportType.AMQP
        case Transport.AmqpWebSockets => AmqpTransportType.AMQP_WEB_SOCKETS
      })
    val direct = settings.transport match {
      // Otherwise the SDK refuses to connect where the environment names an HTTP proxy, which plain AMQP does not use.
      case Transport.Amqp => builder.proxyOptions(ProxyOptions.SYSTEM_DEFAULTS)
      case Transport.AmqpWebSockets =>
        val (host, port) = EndpointProbe.endpoint(settings)
        val proxy = HttpProxy.of(settings, host, port)
        proxy.foreach(UsedProxies.add(settings.hub.namespace, _))
        builder.proxyOptions(proxy.fold(ProxyOptions.SYSTEM_DEFAULTS)(_.toSdk))
    }
    settings.customEndpoint.fold(direct)(uri => direct.customEndpointAddress(uri.toString))
  }

  /** What a new socket trusts. The file is read now too, so that one that is missing here is named at once. */
  def trust(settings: ConnectionSettings): () => Option[SSLContext] = {
    val file = settings.trustedCertificates
    TrustedCertificates.context(file)
    () => TrustedCertificates.context(file)
  }

  /**
   * The SDK waits `tryTimeout` for each of its attempts, so that all of them together take about the operation timeout.
   */
  private def retryOptions(settings: ConnectionSettings): AmqpRetryOptions = {
    val attempts = settings.maxRetries + 1
    val perAttempt = settings.operationTimeout.dividedBy(attempts.toLong)
    new AmqpRetryOptions()
      .setMode(AmqpRetryMode.EXPONENTIAL)
      .setMaxRetries(settings.maxRetries)
      .setTryTimeout(if (perAttempt.compareTo(Duration.ofSeconds(1)) < 0) Duration.ofSeconds(1) else perAttempt)
  }

  private def authenticated(settings: ConnectionSettings): EventHubClientBuilder = {
    val builder = new EventHubClientBuilder
    settings.credential match {
      case shared: Credential.SharedAccess =>
        val known = builder.connectionString(connectionString(settings, sharedAccess(shared)))
        shared.secret match {
          case PlainSecret(_) => known
          // Replaces the credential, and keeps the string's port and development flag.
          case _ => known.credential(settings.hub.namespace, settings.hub.name, new CurrentSharedAccess(shared))
        }
      case entra: Credential.Entra =>
        builder.credential(settings.hub.namespace, settings.hub.name, EntraSignIn.of(entra, SignInNetwork.of(settings)))
    }
  }

  private def sharedAccess(credential: Credential.SharedAccess): String = credential match {
    case named: Credential.SharedKey =>
      val (policy, key) = named.current
      s"SharedAccessKeyName=$policy;SharedAccessKey=$key"
    case Credential.SharedAccessSignature(token) => s"SharedAccessSignature=${signature(token.value)}"
  }

  /** The SDK says of any other text that the name of the part is illegal. */
  private def signature(token: String): String =
    if (token.regionMatches(true, 0, SignatureStart, 0, SignatureStart.length)) token
    else throw EventHubsErrors.invalidOption(
      ConnectionOptions.SasToken.key,
      "***",
      s"a token, here or in the connection string, that begins with '${SignatureStart}sr='"
    )

  private val SignatureStart = "SharedAccessSignature "

  /** Only a connection string can pass the development flag and a port to the SDK. */
  private def connectionString(settings: ConnectionSettings, credential: String): String = {
    val port = settings.port.fold("")(number => s":$number")
    val emulator = if (settings.developmentEmulator) ";UseDevelopmentEmulator=true" else ""
    s"Endpoint=sb://${settings.hub.namespace}$port;$credential;EntityPath=${settings.hub.name}$emulator"
  }
}
