package localhub.amqp.layer

import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.ISO_8859_1
import java.util.concurrent.atomic.AtomicLong

import testkit.TestSuite

/** The HTTP request that opens a WebSocket. */
class HttpUpgradeSuite extends TestSuite {

  private def answer(headers: String*): String = answerTo(HttpUpgrade.Path, headers: _*)

  private def answerTo(path: String, headers: String*): String = {
    val request = Seq(
      s"GET $path HTTP/1.1",
      "Upgrade: websocket",
      "Connection: Upgrade",
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
      "Sec-WebSocket-Protocol: AMQPWSB10"
    ) ++ headers
    val bytes = s"${request.mkString("\r\n")}\r\n\r\n".getBytes(ISO_8859_1)
    val service = new HttpService(new OriginGuard("127.0.0.1"), _ => None, new AtomicLong, Long.MaxValue)
    val complete = new HttpRequestReader(service, "http").read(ByteBuffer.wrap(bytes)).get
    HttpUpgrade.answer(complete, service) match {
      case HttpUpgrade.Accepted(response) => firstLine(response)
      case HttpUpgrade.Refused(response) => firstLine(response)
      case HttpUpgrade.Answered(response) => firstLine(response)
    }
  }

  private def firstLine(response: Array[Byte]): String =
    new String(response, ISO_8859_1).takeWhile(_ != '\r').stripPrefix("HTTP/1.1 ")

  test("a program, which has no origin, may come through any host name") {
    Seq("localhost:5672", "hub.example", "").foreach(host =>
      assert(answer(s"Host: $host") == "101 Switching Protocols", host)
    )
  }

  test("the path may end with a slash, as the SDK for .NET and uamqp write it; another path is not found") {
    assert(answerTo("/$servicebus/websocket/", "Host: localhost") == "101 Switching Protocols")
    Seq("/$servicebus/websocket//", "/$servicebus/websocket/x", "/").foreach(path =>
      assert(answerTo(path, "Host: localhost") == "404 Not Found", path)
    )
  }

  test("a page or an SDK with the hub's own origin is accepted") {
    assert(answer("Host: localhost:5672", "Origin: http://localhost:5672") == "101 Switching Protocols")
    assert(answer("Host: 127.0.0.1:5671", "Origin: https://127.0.0.1:5671") == "101 Switching Protocols")
  }

  test("a page of another site is refused, also when a name of that site leads to this machine") {
    assert(answer("Host: localhost:5672", "Origin: http://site.example") == "403 Forbidden")
    assert(answer("Host: localhost:5672", "Origin: null") == "403 Forbidden")
    assert(answer("Host: site.example:5672", "Origin: http://site.example:5672") == "403 Forbidden")
    assert(answer("Origin: http://site.example") == "403 Forbidden")
  }
}
