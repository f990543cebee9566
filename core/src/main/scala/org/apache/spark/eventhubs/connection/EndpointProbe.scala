package org.apache.spark.eventhubs.connection

import java.io.IOException
import java.net.{InetSocketAddress, Socket}

import org.apache.spark.eventhubs.options.{ConnectionSettings, Transport}
import org.apache.spark.eventhubs.proxy.HttpProxy
import org.apache.spark.eventhubs.tls.{CertificateRefused, TrustedCertificates}
import org.apache.spark.eventhubs.{ErrorCondition, EventHubsErrors, EventHubsException}

/**
 * Checks that the service accepts a TCP connection, and that the certificate that it shows is accepted. The SDK retries
 * a refused connection, an unknown host or a bad certificate until its timeout and then reports only the timeout; a
 * query that starts should fail at once, with the cause.
 */
private[spark] object EndpointProbe {

  private val MaxConnectMillis = 10000

  /**
   * @throws EventHubsException EVENTHUBS_UNREACHABLE, EVENTHUBS_PROXY where the connection uses a proxy, or
   *                            EVENTHUBS_CERTIFICATE
   */
  def check(settings: ConnectionSettings): Unit = {
    val (host, port) = endpoint(settings)
    HttpProxy.of(settings, host, port) match {
      // Behind a proxy the service itself may be unreachable.
      case Some(proxy) => through(settings, proxy, host, port)
      case None => connect(settings, host, port)
    }
  }

  /**
   * What the SDK does not say of a connection that it cannot open.
   *
   * @throws EventHubsException EVENTHUBS_PROXY where the connection uses a proxy that does not open it, or
   *                            EVENTHUBS_CERTIFICATE
   */
  def explain(settings: ConnectionSettings): Unit =
    try check(settings)
    catch { case unreachable: EventHubsException if unreachable.condition == ErrorCondition.Unreachable => () }

  private def through(settings: ConnectionSettings, proxy: HttpProxy, host: String, port: Int): Unit =
    ProxyProbe.check(settings, proxy, s"$host:$port", timeoutMillis(settings))(checkTls(settings, _, host, port))

  private def checkTls(settings: ConnectionSettings, socket: Socket, host: String, port: Int): Unit =
    if (!settings.developmentEmulator) {
      socket.setSoTimeout(timeoutMillis(settings))
      try TlsProbe.check(socket, host, port, TrustedCertificates.contextOrDefault(settings.trustedCertificates))
      catch { case refused: CertificateRefused => throw SdkErrors.translate(refused, settings.hub, "connecting") }
    }

  private def timeoutMillis(settings: ConnectionSettings): Int =
    math.min(MaxConnectMillis.toLong, settings.operationTimeout.toMillis).toInt

  private def connect(settings: ConnectionSettings, host: String, port: Int): Unit = {
    val socket = new Socket
    try {
      val address = new InetSocketAddress(host, port)
      if (address.isUnresolved)
        throw unreachable(settings, s"the name '$host' cannot be resolved", new IOException(host))
      socket.connect(address, timeoutMillis(settings))
      checkTls(settings, socket, host, port)
    } catch {
      case refused: IOException => throw unreachable(settings, s"$host:$port: ${refused.getMessage}", refused)
    } finally socket.close()
  }

  /** Host and port of the service, which need not be those of the socket. */
  private[connection] def endpoint(settings: ConnectionSettings): (String, Int) = {
    val standardPort = settings.transport match {
      case Transport.AmqpWebSockets => 443
      case Transport.Amqp => if (settings.developmentEmulator) 5672 else 5671
    }
    settings.customEndpoint match {
      case Some(uri) => (uri.getHost, if (uri.getPort < 0) standardPort else uri.getPort)
      case None => (settings.hub.namespace, settings.port.getOrElse(standardPort))
    }
  }

  private def unreachable(settings: ConnectionSettings, said: String, cause: Throwable): EventHubsException =
    EventHubsErrors.unreachable(settings.hub, "connecting", said, cause)
}
