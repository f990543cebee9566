package localhub.amqp.layer

import java.nio.charset.StandardCharsets.ISO_8859_1
import java.security.MessageDigest
import java.util.Base64

import org.slf4j.LoggerFactory

/**
 * The HTTP request that turns a connection into a WebSocket (RFC 6455, section 4), and its answers. Other requests get
 * the answer of a resource.
 */
private[amqp] object HttpUpgrade {
  private val log = LoggerFactory.getLogger(getClass)

  val Path = "/$" + "servicebus/websocket"

  // The SDK for .NET and uamqp ask for the path with a slash at its end.
  private val Paths = Set(Path, s"$Path/")

  // The service's own name, and the registered one, which the example of the Go SDK uses.
  private val SubProtocols = Seq("AMQPWSB10", "amqp")

  sealed trait Result
  final case class Accepted(response: Array[Byte]) extends Result
  final case class Refused(response: Array[Byte]) extends Result

  /** A request for something else, which has its answer. */
  final case class Answered(response: Array[Byte]) extends Result

  /** What a complete request, or one that cannot be read, leads to. */
  def answer(request: Either[String, HttpHead], service: HttpService): Result =
    request.fold(status => Refused(answer(status, "Connection: close")), decide(_, service))

  private def decide(head: HttpHead, service: HttpService): Result = {
    val subProtocol = SubProtocols.find(head.lists("sec-websocket-protocol", _))
    // Browsers always send an origin; without one this is a program, which may come through any name.
    val origin = head.headers.get("origin")
    val foreign = origin.flatMap(_ => service.guard.refusal(head.headers.get("host"), origin))
    foreign.foreach(reason => log.warn(s"A request is refused: $reason"))
    (head.path, head.headers.get("sec-websocket-key"), subProtocol) match {
      case _ if foreign.nonEmpty => Refused(answer("403 Forbidden", "Connection: close"))
      case (Some(target), _, _) if !Paths(target) =>
        service.resource.answer(head).fold[Result](Refused(answer("404 Not Found")))(found => Answered(found.bytes))
      case (Some(_), Some(key), Some(agreed)) if head.method == "GET" && head.lists("upgrade", "websocket") =>
        Accepted(
          answer(
            "101 Switching Protocols",
            "Upgrade: websocket",
            "Connection: Upgrade",
            s"Sec-WebSocket-Accept: ${acceptKey(key)}",
            s"Sec-WebSocket-Protocol: $agreed"
          )
        )
      case _ => Refused(answer("400 Bad Request", "Connection: close"))
    }
  }

  private def answer(lines: String*): Array[Byte] = {
    val length = if (lines.headOption.exists(_.startsWith("101"))) Nil else Seq("Content-Length: 0")
    s"HTTP/1.1 ${(lines ++ length).mkString("\r\n")}\r\n\r\n".getBytes(ISO_8859_1)
  }

  /** The value of `Sec-WebSocket-Accept`: RFC 6455, section 4.2.2. */
  private def acceptKey(key: String): String = {
    val digest =
      MessageDigest.getInstance("SHA-1").digest((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").getBytes(ISO_8859_1))
    Base64.getEncoder.encodeToString(digest)
  }
}
