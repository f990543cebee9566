package localhub.http

import java.net.URLDecoder
import java.nio.charset.StandardCharsets.UTF_8

/** A parsed request: `/hubs/a%20b?x=1` has the path List("hubs", "a b") and the query Map("x" -> "1"). */
private[localhub] final case class Request(
    method: String,
    path: List[String],
    query: Map[String, String],
    body: Array[Byte]
)

private[localhub] object Request {

  def apply(method: String, rawPath: String, rawQuery: Option[String], body: Array[Byte]): Request = {
    val path = rawPath.split('/').toList.filter(_.nonEmpty).map(decodePath)
    val query = rawQuery.toList.flatMap(_.split('&')).filter(_.nonEmpty).map { pair =>
      val (key, value) = pair.span(_ != '=')
      decode(key) -> decode(value.drop(1))
    }
    Request(method, path, query.toMap, body)
  }

  // In a path '+' is a plus; in a query it is a space.
  private def decodePath(text: String): String = decode(text.replace("+", "%2B"))

  private def decode(text: String): String =
    try URLDecoder.decode(text, UTF_8)
    catch { case _: IllegalArgumentException => throw BadRequest(s"'$text' is not percent-encoded text.") }
}

/** The request is invalid; answered with 400 and the message. */
private[localhub] final case class BadRequest(message: String) extends RuntimeException(message)
