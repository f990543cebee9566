package org.apache.spark.eventhubs.connection

import java.io.{BufferedInputStream, InputStream}
import java.net.{ConnectException, InetAddress, InetSocketAddress, ServerSocket, Socket, UnknownHostException}
import java.nio.charset.StandardCharsets.ISO_8859_1
import java.util.concurrent.ConcurrentLinkedQueue

import scala.annotation.tailrec
import scala.jdk.CollectionConverters._

/**
 * An HTTP proxy that opens tunnels with CONNECT.
 *
 * @param signIn how a client must sign in; None opens tunnels for all
 * @param always a port on this machine, where all tunnels lead instead of to the host that the client names
 * @param closes whether it closes the connection on which it asks for a sign-in
 */
final class ConnectProxy(signIn: Option[SignInRule] = None, always: Option[Int] = None, closes: Boolean = false)
    extends AutoCloseable {

  private val listener = {
    val listener = new ServerSocket
    listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress, 0), 50)
    listener
  }
  private val sockets = new ConcurrentLinkedQueue[Socket]
  private val opened = new ConcurrentLinkedQueue[String]

  ProxyThread.start {
    while (true) {
      val client = listener.accept()
      sockets.add(client)
      ProxyThread.start(serve(client, new BufferedInputStream(client.getInputStream)))
    }
  }

  def port: Int = listener.getLocalPort

  /** The targets of the tunnels that were opened. */
  def tunnels: Seq[String] = opened.asScala.toSeq

  override def close(): Unit = {
    listener.close()
    sockets.forEach(_.close())
  }

  @tailrec
  private def serve(client: Socket, in: InputStream): Unit = {
    val request = head(in)
    if (request.isEmpty) client.close()
    else {
      val sent = request.map(_.split(": ", 2)).collectFirst {
        case Array(name, value) if name.equalsIgnoreCase("Proxy-Authorization") => value
      }
      signIn.filterNot(rule => sent.exists(rule.admits)) match {
        case None => tunnel(client, in, request.head.split(" ")(1))
        case Some(rule) =>
          val challenge =
            s"Proxy-Authenticate: ${rule.challenge()}\r\nConnection: ${if (closes) "close" else "keep-alive"}"
          answer(client, s"407 Proxy Authentication Required\r\n$challenge\r\nContent-Length: 0")
          if (closes) client.close() else serve(client, in)
      }
    }
  }

  private def tunnel(client: Socket, in: InputStream, target: String): Unit = {
    val (host, port) = (target.takeWhile(_ != ':'), target.dropWhile(_ != ':').drop(1))
    val server = new Socket
    sockets.add(server)
    try {
      server.connect(always.fold(new InetSocketAddress(host, port.toInt))(new InetSocketAddress("127.0.0.1", _)))
      opened.add(target)
      answer(client, "200 Connection established")
      ProxyThread.start { server.getInputStream.transferTo(client.getOutputStream); client.close() }
      in.transferTo(server.getOutputStream)
    } catch {
      case _: UnknownHostException | _: ConnectException => answer(client, "502 Bad Gateway")
    } finally Seq(client, server).foreach(_.close())
  }

  private def answer(client: Socket, text: String): Unit = {
    client.getOutputStream.write(s"HTTP/1.1 $text\r\n\r\n".getBytes(ISO_8859_1))
    client.getOutputStream.flush()
  }

  /** The lines of a request's head; none at the end of the connection. */
  private def head(in: InputStream): Seq[String] = {
    val text = new StringBuilder
    var next = 0
    while (next >= 0 && !text.endsWith("\r\n\r\n")) {
      next = in.read()
      if (next >= 0) text += next.toChar
    }
    text.toString.split("\r\n").toSeq.filter(_.nonEmpty)
  }
}
