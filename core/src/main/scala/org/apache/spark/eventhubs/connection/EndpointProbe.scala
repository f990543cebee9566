package org.apache.spark.eventhubs.connection

import java.io.IOException
import java.net.{InetSocketAddress, Proxy, ProxySelector, Socket, URI}

import scala.jdk.CollectionConverters._

import com.azure.core.amqp.ProxyOptions
import com.azure.core.util.Configuration

import org.apache.spark.eventhubs.options.{ConnectionSettings, Transport}
import org.apache.spark.eventhubs.{EventHubsErrors, EventHubsException}

/**
 * Whether a TCP connection to the service can be made at all. The SDK retries a refused connection or an unknown host
 * until its time is over and then says no more than that; a query that is about to start is better told at once.
 */
private[spark] object EndpointProbe {

  private val PatienceMillis = 10000

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
      socket.connect(address, math.min(PatienceMillis.toLong, settings.operationTimeout.toMillis).toInt)
    } catch {
      case refused: IOException => throw unreachable(settings, s"$host:$port: ${refused.getMessage}", refused)
    } finally socket.close()
  }

  /** Whether the SDK goes through a proxy there, its own or the JVM's: who is behind one may reach nothing else. */
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
