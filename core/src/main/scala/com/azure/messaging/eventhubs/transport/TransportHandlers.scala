package com.azure.messaging.eventhubs.transport

import java.lang.reflect.{InvocationHandler, InvocationTargetException, Method, Proxy}
import java.net.InetSocketAddress
import javax.net.ssl.SSLContext

import com.azure.core.amqp.implementation.handler.{ConnectionHandler, WebSocketsConnectionHandler}
import com.azure.core.amqp.implementation.{AmqpMetricsProvider, ConnectionOptions}
import com.azure.core.amqp.{AmqpTransportType, ProxyOptions}
import com.microsoft.azure.proton.transport.proxy.impl.{ProxyHandlerImpl, ProxyImpl}
import com.microsoft.azure.proton.transport.proxy.{ProxyAuthenticationType, ProxyConfiguration}
import com.microsoft.azure.proton.transport.ws.WebSocket
import org.apache.qpid.proton.Proton
import org.apache.qpid.proton.engine.impl.TransportInternal
import org.apache.qpid.proton.engine.{Event, SslDomain, SslPeerDetails}

/**
 * The SDK's connection handlers with two layers of ours: a TLS context other than the JVM's, which the SDK always
 * takes, and [[WholeHeaders]]. The name in the server's certificate is checked as the SDK checks it: against the host
 * that the socket connects to.
 */
private[eventhubs] object TransportHandlers {

  /** What the SDK asks for in the upgrade to a WebSocket. */
  private[eventhubs] val SocketPath = "/$servicebus/websocket"
  private[eventhubs] val Protocol = "AMQPWSB10"

  /**
   * Returns the handler of a connection, or None where the SDK's own does.
   *
   * @param trust the TLS context, if not the JVM's
   */
  def apply(connectionId: String, options: ConnectionOptions, trust: Option[SSLContext]): Option[ConnectionHandler] = {
    def peer = Proton.sslPeerDetails(options.getHostname, options.getPort)
    val metrics = AmqpMetricsProvider.noop()
    val layers = new Layers(options.getHostname, trust)
    val proxy = Option(options.getProxyOptions).filter(_.isProxyAddressConfigured)
    (options.getTransportType, proxy) match {
      case (AmqpTransportType.AMQP, _) if trust.isEmpty => None
      case (AmqpTransportType.AMQP, _) =>
        Some(new ConnectionHandler(connectionId, options, peer, metrics) {
          override protected def addTransportLayers(event: Event, transport: TransportInternal): Unit =
            super.addTransportLayers(event, layers.in(transport))
        })
      case (_, Some(through)) => Some(new ThroughProxy(connectionId, options, through, peer, metrics, layers))
      case (_, None) =>
        Some(new WebSocketsConnectionHandler(connectionId, options, peer, metrics) {
          override protected def addTransportLayers(event: Event, transport: TransportInternal): Unit =
            super.addTransportLayers(event, layers.in(transport))
        })
    }
  }

  /** Replaces the SDK's own handler, whose layer of the proxy takes no other transport than proton-j's. */
  private final class ThroughProxy(
      connectionId: String,
      options: ConnectionOptions,
      through: ProxyOptions,
      peer: SslPeerDetails,
      metrics: AmqpMetricsProvider,
      layers: Layers
  ) extends WebSocketsConnectionHandler(connectionId, options, peer, metrics) {

    private val address = through.getProxyAddress.address.asInstanceOf[InetSocketAddress]

    /** Returns the host to which the socket connects. */
    override def getHostname: String = address.getHostString
    override def getProtocolPort: Int = address.getPort

    private val layer = {
      val signIn = Option(through.getCredential).filter(_ => through.hasUserDefinedCredentials)
      new ProxyImpl(
        new ProxyConfiguration(
          ProxyAuthenticationType.valueOf(through.getAuthentication.name),
          through.getProxyAddress,
          signIn.map(_.getUserName).orNull,
          signIn.map(stated => new String(stated.getPassword)).orNull
        )
      )
    }

    /** A proxy may close the connection on which it asks for a sign-in. Then the next one has to begin with it. */
    override def transferState(from: ConnectionHandler): Unit = {
      from match {
        case before: ThroughProxy => layer.transferState(before.layer)
        case _ => ()
      }
      super.transferState(from)
    }

    override protected def addTransportLayers(event: Event, transport: TransportInternal): Unit = {
      super.addTransportLayers(event, layers.in(transport))
      layer.configure(s"${options.getHostname}:${options.getPort}", None.orNull, new ProxyHandlerImpl, transport)
      transport.addTransportLayer(layer)
    }
  }

  /** Our settings of the layers that the SDK adds to a transport. */
  private final class Layers(host: String, trust: Option[SSLContext]) {

    /** Returns the transport, which applies the settings to each layer that it gets. */
    def in(transport: TransportInternal): TransportInternal = {
      val interfaces = Array[Class[_]](classOf[TransportInternal])
      Proxy.newProxyInstance(classOf[TransportInternal].getClassLoader, interfaces, new Setting(transport))
        .asInstanceOf[TransportInternal]
    }

    private def set(argument: AnyRef): Unit = argument match {
      case domain: SslDomain =>
        trust.foreach { context =>
          domain.setSslContext(context)
          domain.setPeerAuthentication(SslDomain.VerifyMode.VERIFY_PEER_NAME)
        }
      case socket: WebSocket => socket.configure(host, SocketPath, "", 0, Protocol, None.orNull, new WholeHeaders)
      case _ => ()
    }

    private final class Setting(transport: TransportInternal) extends InvocationHandler {

      /** @param values null for a method without parameters */
      override def invoke(proxy: AnyRef, method: Method, values: Array[AnyRef]): AnyRef = {
        val arguments = Option(values).getOrElse(Array.empty[AnyRef])
        arguments.foreach(set)
        try method.invoke(transport, arguments: _*)
        catch { case failed: InvocationTargetException => throw failed.getCause }
      }
    }
  }
}
