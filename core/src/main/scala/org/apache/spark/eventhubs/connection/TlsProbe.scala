package org.apache.spark.eventhubs.connection

import java.io.IOException
import java.net.Socket
import javax.net.ssl.{SSLContext, SSLSocket}

import org.apache.spark.eventhubs.tls.CertificateRefused

/** Checks the certificate of a server as a connection does: its issuer, its time and its name. */
private[eventhubs] object TlsProbe {

  /**
   * Any other failure than a refused certificate is left to the connection itself, which retries.
   *
   * @param socket open, with a timeout; this call closes it
   * @throws CertificateRefused for a certificate that no attempt would accept
   */
  def check(socket: Socket, host: String, port: Int, context: SSLContext): Unit =
    try {
      val secure = context.getSocketFactory.createSocket(socket, host, port, true).asInstanceOf[SSLSocket]
      val parameters = secure.getSSLParameters
      parameters.setEndpointIdentificationAlgorithm("HTTPS")
      secure.setSSLParameters(parameters)
      secure.startHandshake()
    } catch { case failed: IOException => CertificateRefused.in(failed, s"$host:$port").foreach(throw _) }
    finally socket.close()
}
