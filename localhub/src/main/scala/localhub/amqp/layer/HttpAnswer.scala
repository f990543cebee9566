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
 * @param status  code and reason
 * @param headers besides those of the body's length and the connection's end; of ASCII characters
 */
private[amqp] final case class HttpAnswer(status: String, headers: Seq[(String, String)], body: String) {

  def bytes: Array[Byte] = {
    val encoded = body.getBytes(UTF_8)
    val all = headers ++ Seq("Content-Length" -> encoded.length.toString, "Connection" -> "close")
    val head = s"HTTP/1.1 $status\r\n${all.map { case (name, value) => s"$name: $value\r\n" }.mkString}\r\n"
    head.getBytes(ISO_8859_1) ++ encoded
  }
}

private[amqp] object HttpAnswer {

  def apply(status: String, contentType: String, body: String): HttpAnswer =
    HttpAnswer(status, Seq("Content-Type" -> contentType), body)
}
