package org.apache.spark.eventhubs.signin

import java.net.{InetAddress, Socket}
import javax.net.ssl.{SSLSocket, SSLSocketFactory}

/**
 * TLS sockets that check the name in the server's certificate. Otherwise the JVM's default verifier decides, and any
 * library of the job may replace it by one that accepts every name.
 */
private[signin] final class NamedSocketFactory(tls: SSLSocketFactory) extends SSLSocketFactory {

  override def createSocket(): Socket = named(tls.createSocket())

  override def createSocket(under: Socket, host: String, port: Int, autoClose: Boolean): Socket =
    named(tls.createSocket(under, host, port, autoClose))

  override def createSocket(host: String, port: Int): Socket = named(tls.createSocket(host, port))

  override def createSocket(host: String, port: Int, local: InetAddress, localPort: Int): Socket =
    named(tls.createSocket(host, port, local, localPort))

  override def createSocket(host: InetAddress, port: Int): Socket = named(tls.createSocket(host, port))

  override def createSocket(host: InetAddress, port: Int, local: InetAddress, localPort: Int): Socket =
    named(tls.createSocket(host, port, local, localPort))

  override def getDefaultCipherSuites: Array[String] = tls.getDefaultCipherSuites
  override def getSupportedCipherSuites: Array[String] = tls.getSupportedCipherSuites

  private def named(socket: Socket): Socket = {
    socket match {
      case secure: SSLSocket =>
        val parameters = secure.getSSLParameters
        parameters.setEndpointIdentificationAlgorithm("HTTPS")
        secure.setSSLParameters(parameters)
      case _ => ()
    }
    socket
  }
}
