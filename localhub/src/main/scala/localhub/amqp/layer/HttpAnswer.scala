package localhub.amqp.layer

import java.nio.charset.StandardCharsets.{ISO_8859_1, UTF_8}

/** What the server answers to HTTP requests that do not open a WebSocket. Called on an I/O thread. */
private[amqp] trait HttpResource {

  /** None for a path that is not this resource's. */
  def answer(request: HttpHead): Option[HttpAnswer]
}

/**
 * An answer after which the connection is closed.
 *
 * @param status code and reason
 */
private[amqp] final case class HttpAnswer(status: String, contentType: String, body: String) {

  def bytes: Array[Byte] = {
    val encoded = body.getBytes(UTF_8)
    val head = s"HTTP/1.1 $status\r\nContent-Type: $contentType\r\nContent-Length: ${encoded.length}\r\n" +
      "Connection: close\r\n\r\n"
    head.getBytes(ISO_8859_1) ++ encoded
  }
}
