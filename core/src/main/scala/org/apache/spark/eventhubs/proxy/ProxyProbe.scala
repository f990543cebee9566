package org.apache.spark.eventhubs.proxy

import java.io.{BufferedReader, IOException, InputStreamReader}
import java.net.{Authenticator, InetSocketAddress, Socket}
import java.nio.charset.StandardCharsets.{ISO_8859_1, UTF_8}
import java.util.Base64

import scala.util.Try

import org.apache.spark.eventhubs.options.{ConnectionSettings, ProxyScheme}
import org.apache.spark.eventhubs.{EventHubsErrors, EventHubsException}

/** Checks that an HTTP proxy opens a connection to the service. The SDK would retry until its timeout. */
private[eventhubs] object ProxyProbe {

  private val SignInNeeded = 407

  /** @throws EventHubsException EVENTHUBS_PROXY */
  def check(settings: ConnectionSettings, proxy: HttpProxy, target: String, timeoutMillis: Int): Unit = {
    def refused(said: String, cause: Option[Throwable] = None): EventHubsException =
      EventHubsErrors.proxy(settings.hub, "connecting", proxy.toString, said, cause)
    val socket = new Socket
    try {
      val address = new InetSocketAddress(proxy.address.host, proxy.address.port)
      if (address.isUnresolved) throw refused(s"the name '${proxy.address.host}' cannot be resolved")
      socket.connect(address, timeoutMillis)
      socket.setSoTimeout(timeoutMillis)
      val line = answer(socket, target, proxy)
      status(line) match {
        case Some(code) if code / 100 == 2 => ()
        // The SDK answers a challenge that needs more than a user name and a password.
        case Some(SignInNeeded) if isSignedInLater(proxy) => ()
        case _ => throw refused(s"it answered '$line' to a request for $target")
      }
    } catch {
      case failed: IOException => throw refused(failed.getMessage, Some(failed))
    } finally socket.close()
  }

  private def isSignedInLater(proxy: HttpProxy): Boolean = proxy.signIn match {
    case Some(signIn) => signIn.scheme == ProxyScheme.Digest
    case None => Option(Authenticator.getDefault).isDefined
  }

  private def answer(socket: Socket, target: String, proxy: HttpProxy): String = {
    val signIn = proxy.signIn.filter(_.scheme == ProxyScheme.Basic).map { stated =>
      val pair = s"${stated.username}:${stated.password.value}".getBytes(UTF_8)
      s"Proxy-Authorization: Basic ${Base64.getEncoder.encodeToString(pair)}\r\n"
    }
    val request = s"CONNECT $target HTTP/1.1\r\nHost: $target\r\n${signIn.getOrElse("")}\r\n"
    socket.getOutputStream.write(request.getBytes(ISO_8859_1))
    socket.getOutputStream.flush()
    val lines = new BufferedReader(new InputStreamReader(socket.getInputStream, ISO_8859_1))
    Option(lines.readLine()).getOrElse(throw new IOException("it closed the connection without an answer"))
  }

  private def status(line: String): Option[Int] =
    Option(line).filter(_.startsWith("HTTP/")).map(_.split(" ")).filter(_.length > 1).flatMap(parts =>
      Try(parts(1).toInt).toOption
    )
}
