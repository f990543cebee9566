package org.apache.spark.eventhubs.connection

import java.io.IOException
import java.net.{InetSocketAddress, Socket}

import org.apache.spark.eventhubs.options.{ConnectionSettings, Transport}
import org.apache.spark.eventhubs.proxy.{HttpProxy, ProxyProbe}
import org.apache.spark.eventhubs.{EventHubsErrors, EventHubsException}

/**
 * Checks that the service accepts a TCP connection. The SDK retries a refused connection or an unknown host until its
 * timeout and then reports only the timeout; a query that starts should fail at once, with the cause.
 */
private[spark] object EndpointProbe {

  private val MaxConnectMillis = 10000

  /** @throws EventHubsException EVENTHUBS_UNREACHABLE, or EVENTHUBS_PROXY where the connection uses a proxy */
  def check(settings: ConnectionSettings): Unit = {
    val (host, port) = endpoint(settings)
    HttpProxy.of(settings, host, port) match {
      // Behind a proxy the service itself may be unreachable.
      case Some(proxy) => ProxyProbe.check(settings, proxy, s"$host:$port", timeoutMillis(settings))
      case None => connect(settings, host, port)
    }
  }

  /** @throws EventHubsException EVENTHUBS_PROXY where the connection uses a proxy that does not open it */
  def checkProxy(settings: ConnectionSettings): Unit = {
    val (host, port) = endpoint(settings)
    HttpProxy.of(settings, host, port).foreach(ProxyProbe.check(settings, _, s"$host:$port", timeoutMillis(settings)))
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
