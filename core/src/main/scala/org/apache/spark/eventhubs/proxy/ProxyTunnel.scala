package org.apache.spark.eventhubs.proxy

import java.io.{IOException, InputStream}
import java.net.{InetSocketAddress, Socket, UnknownHostException}
import java.nio.charset.StandardCharsets.ISO_8859_1

import scala.util.Try
import scala.util.control.NonFatal

import org.apache.spark.eventhubs.options.ProxySignIn

/**
 * What a proxy answered to a request for a tunnel.
 *
 * @param line       the first line of the answer
 * @param challenges how the proxy wants a sign-in
 * @param socket     open; leads to the target when the tunnel is open
 */
private[eventhubs] final class ProxyTunnel private (
    val line: String,
    val challenges: Seq[String],
    val socket: Socket
) {

  /** The HTTP status; None when the answer is not HTTP. */
  def status: Option[Int] =
    Option(line).filter(_.startsWith("HTTP/")).map(_.split(" ")).filter(_.length > 1).flatMap(parts =>
      Try(parts(1).toInt).toOption
    )

  def isOpen: Boolean = status.exists(_ / 100 == 2)
}

private[eventhubs] object ProxyTunnel {

  /** The status of a proxy that wants a sign-in, or another one. */
  val SignInNeeded = 407

  private val LongestHead = 64 * 1024

  /**
   * Asks a proxy for a tunnel to `target`, a host with its port.
   *
   * @param signIn     None asks without one
   * @param challenges of an answer before
   * @param socket     not connected; the caller closes it, unless this call fails
   * @throws IOException for a proxy that cannot be reached or does not answer
   */
  def open(
      proxy: HttpProxy,
      target: String,
      timeoutMillis: Int,
      signIn: Option[ProxySignIn],
      challenges: Seq[String] = Nil,
      socket: Socket = new Socket
  ): ProxyTunnel =
    try {
      val address = new InetSocketAddress(proxy.address.host, proxy.address.port)
      if (address.isUnresolved) throw new UnknownHostException(proxy.address.host)
      socket.connect(address, timeoutMillis)
      socket.setSoTimeout(timeoutMillis)
      val header = signIn.flatMap(ProxyAuthorization.of(_, challenges, target))
        .map(value => s"Proxy-Authorization: $value\r\n")
      val request = s"CONNECT $target HTTP/1.1\r\nHost: $target\r\n${header.mkString}\r\n"
      socket.getOutputStream.write(request.getBytes(ISO_8859_1))
      socket.getOutputStream.flush()
      val lines = head(socket.getInputStream).linesIterator.toSeq
      val challenged = lines.map(_.split(":", 2)).collect {
        case Array(name, value) if name.trim.equalsIgnoreCase("Proxy-Authenticate") => value.trim
      }
      new ProxyTunnel(lines.head, challenged, socket)
    } catch {
      case NonFatal(failed) =>
        socket.close()
        throw failed
    }

  /** Byte by byte, because what follows the head belongs to the target. */
  private def head(in: InputStream): String = {
    val text = new StringBuilder
    while (!text.endsWith("\r\n\r\n") && text.length < LongestHead) {
      val next = in.read()
      if (next < 0 && text.isEmpty) throw new IOException("it closed the connection without an answer")
      text ++= (if (next < 0) "\r\n\r\n" else next.toChar.toString)
    }
    text.toString
  }
}
