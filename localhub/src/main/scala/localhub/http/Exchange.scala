package localhub.http

import java.net.URLDecoder
import java.nio.charset.StandardCharsets.UTF_8

/** A request, taken apart: `/hubs/a%20b?x=1` has the path List("hubs", "a b") and the query Map("x" -> "1"). */
final case class Request(method: String, path: List[String], query: Map[String, String], body: Array[Byte])

object Request {

  def apply(method: String, rawPath: String, rawQuery: Option[String], body: Array[Byte]): Request = {
    val path = rawPath.split('/').toList.filter(_.nonEmpty).map(decodePath)
    val query = rawQuery.toList.flatMap(_.split('&')).filter(_.nonEmpty).map { pair =>
      val (key, value) = pair.span(_ != '=')
      decode(key) -> decode(value.drop(1))
    }
    Request(method, path, query.toMap, body)
  }

  // In a path, unlike in a query, '+' is a plus.
  private def decodePath(text: String): String = decode(text.replace("+", "%2B"))

  private def decode(text: String): String =
    try URLDecoder.decode(text, UTF_8)
    catch { case _: IllegalArgumentException => throw BadRequest(s"'$text' is not percent-encoded text.") }
}

/** An answer; its body is complete, so that its length is known. */
final case class Reply(status: Int, contentType: String, body: Array[Byte], headers: Map[String, String] = Map.empty)

object Reply {
  val NoContent: Reply = Reply(204, "application/json", Array.emptyByteArray)

  def json(status: Int, value: ujson.Value): Reply =
    Reply(status, "application/json", ujson.write(value, indent = 2).concat("\n").getBytes(UTF_8))

  def error(status: Int, message: String): Reply = json(status, ujson.Obj("error" -> message))
}

/** The client asked for something that cannot be; answered as 400 with the message. */
final case class BadRequest(message: String) extends RuntimeException(message)
