package localhub.amqp.layer

import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.{ISO_8859_1, UTF_8}
import java.util.concurrent.atomic.AtomicLong

import testkit.TestSuite

/** HTTP requests that arrive in pieces. */
class HttpRequestReaderSuite extends TestSuite {

  private val unread = new AtomicLong

  private def reader(maxUnread: Long = Long.MaxValue) = new HttpRequestReader(
    new HttpService(new OriginGuard("127.0.0.1"), _ => None, unread, maxUnread),
    "https"
  )

  private def head(lines: String*): Array[Byte] =
    (Seq("PUT /$schemaGroups/a/schemas/b%3Ac+d?x=1 HTTP/1.1") ++ lines).mkString("", "\r\n", "\r\n\r\n").getBytes(UTF_8)

  /** Offers the bytes in pieces, as the layers do: what is left comes again. */
  private def feed(reader: HttpRequestReader, bytes: Array[Byte], piece: Int): Option[Either[String, HttpHead]] = {
    var rest = Array.emptyByteArray
    bytes.grouped(piece).map { next =>
      val in = ByteBuffer.wrap(rest ++ next)
      val found = reader.read(in)
      rest = new Array[Byte](in.remaining)
      in.get(rest)
      found
    }.collectFirst { case Some(found) => found }
  }

  test("a body that is larger than a piece is put together") {
    val body = "schema ß " * 50000
    val encoded = body.getBytes(UTF_8)
    Seq(1 << 20, 100000, 4099).foreach { piece =>
      val reading = reader()
      val request = feed(reading, head(s"Content-Length: ${encoded.length}") ++ encoded, piece).get.toOption.get
      assert(request.body == body && request.method == "PUT" && request.scheme == "https")
      assert(request.segments == List("$schemaGroups", "a", "schemas", "b:c+d") && request.query == Map("x" -> "1"))
      reading.close()
      assert(unread.get == 0)
    }
  }

  test("a request is incomplete until its last byte") {
    val reading = reader()
    assert(feed(reading, head("Content-Length: 3") ++ "ab".getBytes(UTF_8), 7).isEmpty)
    reading.close()
    assert(feed(reader(), head("Content-Length: 3").dropRight(1), 7).isEmpty)
  }

  test("a body that is too large is read to its end and refused, without room for it") {
    val reading = reader()
    val size = HttpRequestReader.MaxBody + 1
    val bytes = head(s"Content-Length: $size") ++ new Array[Byte](size)
    assert(feed(reading, bytes.dropRight(1), 65536).isEmpty && unread.get == 0)
    assert(feed(reader(), bytes, 65536) == Some(Left("413 Payload Too Large")))
  }

  test("a head without an end, and a body of unknown length, are refused") {
    assert(feed(reader(), ("GET /" + "a" * 20000).getBytes(ISO_8859_1), 4096) ==
      Some(Left("431 Request Header Fields Too Large")))
    assert(feed(reader(), head("Transfer-Encoding: chunked"), 4096) == Some(Left("411 Length Required")))
  }

  test("bodies that wait take a bounded part of the memory, which a closed connection frees") {
    val first = reader(maxUnread = 150000)
    val body = new Array[Byte](100000)
    assert(feed(first, head("Content-Length: 200000") ++ body, 65536).isEmpty)
    assert(unread.get >= 100000 && unread.get <= 150000)
    val second = head(s"Content-Length: ${body.length}") ++ body
    assert(feed(reader(maxUnread = 150000), second, 65536) == Some(Left("503 Service Unavailable")))
    first.close()
    assert(unread.get == 0)
    val third = reader(maxUnread = 150000)
    assert(feed(third, second, 65536).exists(_.isRight))
    third.close()
  }
}
