package localhub.authority

/**
 * A request.
 *
 * @param path   parts of the path, decoded, without empty ones
 * @param query  parameters of the URL
 * @param form   parameters of the body
 * @param header a header's first value
 */
private[authority] final case class Call(
    method: String,
    path: List[String],
    query: Map[String, String],
    form: Map[String, String],
    header: String => Option[String]
)

/** An answer in JSON. */
private[authority] final case class Answer(status: Int, json: ujson.Value, headers: Map[String, String] = Map.empty)

private[authority] object Answer {
  def ok(fields: (String, ujson.Value)*): Answer = Answer(200, ujson.Obj.from(fields))

  val BadRequest: Answer = Answer(400, ujson.Obj("error" -> "invalid_request"))

  val NotFound: Answer = Answer(404, ujson.Obj("error" -> "not_found"))
}
