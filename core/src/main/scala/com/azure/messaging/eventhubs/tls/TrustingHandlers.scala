package com.azure.messaging.eventhubs.tls

import java.lang.reflect.{InvocationHandler, InvocationTargetException, Method, Proxy}
import java.net.InetSocketAddress
import javax.net.ssl.SSLContext

import com.azure.core.amqp.implementation.handler.{ConnectionHandler, WebSocketsConnectionHandler}
import com.azure.core.amqp.implementation.{AmqpMetricsProvider, ConnectionOptions}
import com.azure.core.amqp.{AmqpTransportType, ProxyOptions}
import com.microsoft.azure.proton.transport.proxy.impl.{ProxyHandlerImpl, ProxyImpl}
import com.microsoft.azure.proton.transport.proxy.{ProxyAuthenticationType, ProxyConfiguration}
import org.apache.qpid.proton.Proton
import org.apache.qpid.proton.engine.impl.TransportInternal
import org.apache.qpid.proton.engine.{Event, SslDomain, SslPeerDetails}

/**
 * The SDK's connection handlers with another TLS context than the JVM's, which the SDK always takes. The name in the
 * server's certificate is checked as the SDK checks it: against the host that the socket connects to.
 */
private[eventhubs] object TrustingHandlers {

  def apply(connectionId: String, options: ConnectionOptions, trust: SSLContext): ConnectionHandler = {
    val peer = Proton.sslPeerDetails(options.getHostname, options.getPort)
    val metrics = AmqpMetricsProvider.noop()
    val proxy = Option(options.getProxyOptions).filter(_.isProxyAddressConfigured)
    (options.getTransportType, proxy) match {
      case (AmqpTransportType.AMQP, _) =>
        new ConnectionHandler(connectionId, options, peer, metrics) {
          override protected def addTransportLayers(event: Event, transport: TransportInternal): Unit =
            super.addTransportLayers(event, trusting(transport, trust))
        }
      case (_, Some(through)) => new ThroughProxy(connectionId, options, through, peer, metrics, trust)
      case (_, None) =>
        new WebSocketsConnectionHandler(connectionId, options, peer, metrics) {
          override protected def addTransportLayers(event: Event, transport: TransportInternal): Unit =
            super.addTransportLayers(event, trusting(transport, trust))
        }
    }
  }

  /** Replaces the SDK's own handler, whose layer of the proxy takes no other transport than proton-j's. */
  private final class ThroughProxy(
      connectionId: String,
      options: ConnectionOptions,
      through: ProxyOptions,
      peer: SslPeerDetails,
      metrics: AmqpMetricsProvider,
      trust: SSLContext
  ) extends WebSocketsConnectionHandler(connectionId, options, peer, metrics) {

    private val address = through.getProxyAddress.address.asInstanceOf[InetSocketAddress]

    /** Returns the host to which the socket connects. */
    override def getHostname: String = address.getHostString
    override def getProtocolPort: Int = address.getPort

    override protected def addTransportLayers(event: Event, transport: TransportInternal): Unit = {
      super.addTransportLayers(event, trusting(transport, trust))
      val signIn = Option(through.getCredential).filter(_ => through.hasUserDefinedCredentials)
      val layer = new ProxyImpl(
        new ProxyConfiguration(
          ProxyAuthenticationType.valueOf(through.getAuthentication.name),
          through.getProxyAddress,
          signIn.map(_.getUserName).orNull,
          signIn.map(stated => new String(stated.getPassword)).orNull
        )
      )
      layer.configure(s"${options.getHostname}:${options.getPort}", None.orNull, new ProxyHandlerImpl, transport)
      transport.addTransportLayer(layer)
    }
  }

  /** A transport that sets the context in the TLS layer that it gets. */
  private def trusting(transport: TransportInternal, trust: SSLContext): TransportInternal = {
    val interfaces = Array[Class[_]](classOf[TransportInternal])
    Proxy.newProxyInstance(classOf[TransportInternal].getClassLoader, interfaces, new Trusting(transport, trust))
      .asInstanceOf[TransportInternal]
  }

  private final class Trusting(transport: TransportInternal, trust: SSLContext) extends InvocationHandler {

    /** @param values null for a method without parameters */
    override def invoke(proxy: AnyRef, method: Method, values: Array[AnyRef]): AnyRef = {
      val arguments = Option(values).getOrElse(Array.empty[AnyRef])
      arguments.foreach {
        case domain: SslDomain =>
          domain.setSslContext(trust)
          domain.setPeerAuthentication(SslDomain.VerifyMode.VERIFY_PEER_NAME)
        case _ => ()
      }
      try method.invoke(transport, arguments: _*)
      catch { case failed: InvocationTargetException => throw failed.getCause }
    }
  }
}
