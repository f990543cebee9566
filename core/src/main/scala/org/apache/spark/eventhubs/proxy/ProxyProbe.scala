package org.apache.spark.eventhubs.proxy

import java.io.{BufferedReader, IOException, InputStreamReader}
import java.net.{Authenticator, InetSocketAddress, Socket, UnknownHostException}
import java.nio.charset.StandardCharsets.{ISO_8859_1, UTF_8}
import java.util.Base64

import scala.util.Try

import org.apache.spark.eventhubs.options.{ConnectionSettings, ProxyScheme, ProxySignIn}
import org.apache.spark.eventhubs.{EventHubsErrors, EventHubsException}

/** Checks that an HTTP proxy opens a connection to the service. The SDK would retry until its timeout. */
private[eventhubs] object ProxyProbe {

  private val SignInNeeded = 407

  /** @throws EventHubsException EVENTHUBS_PROXY */
  def check(settings: ConnectionSettings, proxy: HttpProxy, target: String, timeoutMillis: Int): Unit = {
    def refused(said: String, cause: Option[Throwable] = None): EventHubsException =
      EventHubsErrors.proxy(settings.hub, "connecting", proxy.toString, said, cause)
    def refusedWith(line: String) = refused(s"it answered '$line' to a request for $target")
    try {
      // Without the sign-in, as the SDK's first request: it closes a connection that then needs none.
      val line = answer(proxy, target, timeoutMillis, signIn = None)
      status(line) match {
        case Some(code) if isOpened(code) =>
          if (proxy.signIn.isDefined) throw refused(ProxyRefusal.NeedlessSignIn)
        case Some(SignInNeeded) if isSignedInLater(proxy) => ()
        case Some(SignInNeeded) if proxy.signIn.isDefined =>
          val second = answer(proxy, target, timeoutMillis, proxy.signIn)
          if (!status(second).exists(isOpened)) throw refusedWith(second)
        case _ => throw refusedWith(line)
      }
    } catch {
      case failed: UnknownHostException => throw refused(s"the name '${failed.getMessage}' cannot be resolved")
      case failed: IOException => throw refused(failed.getMessage, Some(failed))
    }
  }

  private def isOpened(code: Int): Boolean = code / 100 == 2

  /** Whether the SDK answers a challenge that needs more than a user name and a password. */
  private def isSignedInLater(proxy: HttpProxy): Boolean = proxy.signIn match {
    case Some(signIn) => signIn.scheme == ProxyScheme.Digest
    case None => Option(Authenticator.getDefault).isDefined
  }

  /** The first line of the proxy's answer to a request for a tunnel. */
  private def answer(proxy: HttpProxy, target: String, timeoutMillis: Int, signIn: Option[ProxySignIn]): String = {
    val socket = new Socket
    try {
      val address = new InetSocketAddress(proxy.address.host, proxy.address.port)
      if (address.isUnresolved) throw new UnknownHostException(proxy.address.host)
      socket.connect(address, timeoutMillis)
      socket.setSoTimeout(timeoutMillis)
      val header = signIn.map { stated =>
        val pair = s"${stated.username}:${stated.password.value}".getBytes(UTF_8)
        s"Proxy-Authorization: Basic ${Base64.getEncoder.encodeToString(pair)}\r\n"
      }
      val request = s"CONNECT $target HTTP/1.1\r\nHost: $target\r\n${header.getOrElse("")}\r\n"
      socket.getOutputStream.write(request.getBytes(ISO_8859_1))
      socket.getOutputStream.flush()
      val lines = new BufferedReader(new InputStreamReader(socket.getInputStream, ISO_8859_1))
      Option(lines.readLine()).getOrElse(throw new IOException("it closed the connection without an answer"))
    } finally socket.close()
  }

  private def status(line: String): Option[Int] =
    Option(line).filter(_.startsWith("HTTP/")).map(_.split(" ")).filter(_.length > 1).flatMap(parts =>
      Try(parts(1).toInt).toOption
    )
}
