package org.apache.spark.eventhubs.connection

import java.io.IOException
import java.net.{InetSocketAddress, Proxy, ProxySelector, Socket, URI}

import scala.jdk.CollectionConverters._

import com.azure.core.amqp.ProxyOptions
import com.azure.core.util.Configuration

import org.apache.spark.eventhubs.options.{ConnectionSettings, Transport}
import org.apache.spark.eventhubs.{EventHubsErrors, EventHubsException}

/**
 * Checks that the service accepts a TCP connection. The SDK retries a refused connection or an unknown host until its
 * timeout and then reports only the timeout; a query that starts should fail at once, with the cause.
 */
private[spark] object EndpointProbe {

  private val MaxConnectMillis = 10000

  /** @throws EventHubsException EVENTHUBS_UNREACHABLE */
  def check(settings: ConnectionSettings): Unit = {
    val (host, port) = endpoint(settings)
    if (settings.transport == Transport.Amqp || !isBehindProxy(host, port)) connect(settings, host, port)
  }

  private def connect(settings: ConnectionSettings, host: String, port: Int): Unit = {
    val socket = new Socket
    try {
      val address = new InetSocketAddress(host, port)
      if (address.isUnresolved)
        throw unreachable(settings, s"the name '$host' cannot be resolved", new IOException(host))
      socket.connect(address, math.min(MaxConnectMillis.toLong, settings.operationTimeout.toMillis).toInt)
    } catch {
      case refused: IOException => throw unreachable(settings, s"$host:$port: ${refused.getMessage}", refused)
    } finally socket.close()
  }

  /**
   * Whether the SDK connects through its own proxy or the JVM's. Behind a proxy the service itself may be unreachable.
   */
  private def isBehindProxy(host: String, port: Int): Boolean =
    ProxyOptions.fromConfiguration(Configuration.getGlobalConfiguration).isProxyAddressConfigured ||
      Option(ProxySelector.getDefault).exists { selector =>
        selector.select(URI.create(s"https://$host:$port")).asScala.headOption.exists(_.`type` == Proxy.Type.HTTP)
      }

  private def endpoint(settings: ConnectionSettings): (String, Int) = {
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
