package localhub.http

import java.nio.charset.StandardCharsets.UTF_8

import localhub.browse.ExactJson

/** A response with a complete body, so that its length is known. */
private[localhub] final case class Response(
    status: Int,
    contentType: String,
    body: Array[Byte],
    headers: Map[String, String] = Map.empty
)

private[localhub] object Response {
  val NoContent: Response = Response(204, "application/json", Array.emptyByteArray)

  def json(status: Int, value: ujson.Value): Response =
    Response(status, "application/json", ExactJson.write(value, indent = 2).concat("\n").getBytes(UTF_8))

  def error(status: Int, message: String): Response = json(status, ujson.Obj("error" -> message))
}
