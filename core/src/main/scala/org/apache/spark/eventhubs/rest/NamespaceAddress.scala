package org.apache.spark.eventhubs.rest

import org.apache.spark.eventhubs.options.ConnectionSettings

/** Where a namespace answers HTTPS requests. */
private[eventhubs] object NamespaceAddress {

  private val Https = 443
  private val Amqps = 5671
  private val Amqp = 5672

  /**
   * The address without a path. Port 5671 speaks AMQP only, so an address with it means the default port. Any other
   * port is a gateway's or a local hub's, which serve all protocols there.
   */
  def of(settings: ConnectionSettings): String = {
    val (host, stated) = settings.customEndpoint match {
      case Some(endpoint) => (endpoint.getHost, Some(endpoint.getPort).filter(_ >= 0))
      case None => (settings.hub.namespace, settings.port)
    }
    if (settings.developmentEmulator) s"http://$host:${stated.getOrElse(Amqp)}"
    else s"https://$host:${stated.filter(_ != Amqps).getOrElse(Https)}"
  }
}
