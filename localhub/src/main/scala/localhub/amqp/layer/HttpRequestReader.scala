package localhub.amqp.layer

import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.UTF_8
import java.util.Arrays

/**
 * Reads one HTTP request. A body can be larger than the input buffer, so it is taken as it comes.
 *
 * @param scheme of the request's URL
 */
private[layer] final class HttpRequestReader(service: HttpService, scheme: String) {
  import HttpRequestReader._

  private var head = Option.empty[HttpHead]
  private var refusal = Option.empty[String]
  private var body = Array.emptyByteArray
  private var received = 0L

  /** The request, or the status that refuses it; None while it is incomplete. */
  def read(in: ByteBuffer): Option[Either[String, HttpHead]] = {
    if (head.isEmpty && refusal.isEmpty) readHead(in)
    head.foreach(readBody(_, in))
    val complete = head.filter(_.length <= received)
    // The rest of a refused body is read and dropped, because a closed socket would destroy the answer on its way.
    if (refusal.nonEmpty && (head.isEmpty || complete.nonEmpty)) refusal.map(Left(_))
    else
      complete.map(request => Right(request.copy(body = new String(body, 0, received.toInt, UTF_8), scheme = scheme)))
  }

  /** Frees what it holds. */
  def close(): Unit = hold(Array.emptyByteArray)

  private def readHead(in: ByteBuffer): Unit = {
    val end = endOfHead(in)
    if (end < 0) {
      if (in.remaining > MaxHead) refusal = Some("431 Request Header Fields Too Large")
    } else {
      val bytes = new Array[Byte](end - in.position())
      in.get(bytes)
      val parsed = HttpHead.parse(bytes)
      if (parsed.hasUnknownLength) refusal = Some("411 Length Required")
      else {
        head = Some(parsed)
        if (parsed.length > MaxBody) refusal = Some("413 Payload Too Large")
      }
    }
  }

  private def readBody(request: HttpHead, in: ByteBuffer): Unit = {
    val count = math.min(request.length - received, in.remaining.toLong).toInt
    if (refusal.isEmpty && received + count > body.length) {
      // As much as has come, twice at the most: a length is only what a client says.
      val room = math.min(request.length, math.max(received + count, body.length * 2L)).toInt
      if (service.unread.get + room - body.length > service.maxUnread) {
        refusal = Some("503 Service Unavailable")
        close()
      } else hold(Arrays.copyOf(body, room))
    }
    if (refusal.isEmpty) in.get(body, received.toInt, count) else in.position(in.position() + count)
    received += count
  }

  private def hold(bytes: Array[Byte]): Unit = {
    service.unread.addAndGet(bytes.length.toLong - body.length)
    body = bytes
  }
}

private object HttpRequestReader {
  val MaxHead: Int = 16 * 1024

  /** The largest schema, and room for nothing more. */
  val MaxBody: Int = 1024 * 1024

  def endOfHead(in: ByteBuffer): Int = {
    var at = in.position()
    while (at + 4 <= in.limit() && in.getInt(at) != 0x0d0a0d0a) at += 1
    if (at + 4 <= in.limit()) at + 4 else -1
  }
}
