package org.apache.spark.eventhubs.signin

import java.io.IOException
import java.net.{InetAddress, Socket, SocketAddress, UnknownHostException}
import javax.net.ssl.SSLSocketFactory

import org.apache.spark.eventhubs.options.ProxyScheme
import org.apache.spark.eventhubs.proxy.{HttpProxy, ProxyRefusedException, ProxyTunnel}

/** A socket that a proxy connects to its target. Only the proxy resolves the target's name. */
private[signin] final class TunnelSocket(proxy: HttpProxy, target: String) extends Socket {

  private var isConnecting = false

  override def connect(endpoint: SocketAddress): Unit = connect(endpoint, 0)

  override def connect(endpoint: SocketAddress, timeoutMillis: Int): Unit =
    if (isConnecting) super.connect(endpoint, timeoutMillis)
    else {
      isConnecting = true
      val tunnel =
        try ProxyTunnel.open(proxy, target, timeoutMillis, proxy.signIn, challenges(timeoutMillis), socket = this)
        catch {
          case failed: UnknownHostException =>
            throw refused(s"the name '${failed.getMessage}' cannot be resolved", isFinal = false, failed)
          case failed: IOException => throw refused(failed.getMessage, isFinal = false, failed)
        }
      if (!tunnel.isOpen) {
        close()
        val isFinal = tunnel.status.contains(ProxyTunnel.SignInNeeded)
        throw refused(s"it answered '${tunnel.line}' to a request for $target", isFinal, None.orNull)
      }
    }

  private def refused(said: String, isFinal: Boolean, cause: Throwable) =
    new ProxyRefusedException(proxy.toString, said, isFinal, cause)

  /** A proxy that wants the Digest scheme says in its refusal what to hash. */
  private def challenges(timeoutMillis: Int): Seq[String] =
    if (!proxy.signIn.exists(_.scheme == ProxyScheme.Digest)) Nil
    else {
      val first = ProxyTunnel.open(proxy, target, timeoutMillis, signIn = None)
      first.socket.close()
      first.challenges
    }
}

/** TLS over one socket that is not connected yet. */
private[signin] final class TunnelledSocketFactory(tls: SSLSocketFactory, socket: Socket) extends SSLSocketFactory {

  override def createSocket(): Socket = socket

  override def createSocket(under: Socket, host: String, port: Int, autoClose: Boolean): Socket =
    tls.createSocket(under, host, port, autoClose)

  override def getDefaultCipherSuites: Array[String] = tls.getDefaultCipherSuites
  override def getSupportedCipherSuites: Array[String] = tls.getSupportedCipherSuites

  // These would connect without the proxy.
  override def createSocket(host: String, port: Int): Socket = refuse()
  override def createSocket(host: String, port: Int, local: InetAddress, localPort: Int): Socket = refuse()
  override def createSocket(host: InetAddress, port: Int): Socket = refuse()
  override def createSocket(host: InetAddress, port: Int, local: InetAddress, localPort: Int): Socket = refuse()

  private def refuse(): Socket = throw new IOException("the connection through the HTTP proxy failed")
}
