package localhub.http

import scala.util.Try

import localhub.amqp.fault.Faults

/** Injects, lists and cancels faults. */
private[localhub] final class FaultRoutes(faults: Faults) extends Routes {

  override val answer: PartialFunction[Request, Response] = {
    case Request("GET", List("faults"), _, _) =>
      Response.json(200, ujson.Obj("faults" -> ujson.Arr.from(faults.active.map(FaultJson(_)))))
    case Request("POST", List("faults"), _, body) => inject(body)
    case Request("DELETE", List("faults"), _, _) =>
      faults.clear()
      Response.NoContent
    case Request("DELETE", List("faults", id), _, _) =>
      if (id.toLongOption.exists(faults.cancel)) Response.NoContent
      else Response.error(404, s"There is no fault '$id'; it may have ended.")
  }

  private def inject(body: Array[Byte]): Response = {
    val json = Try(ujson.read(body)).getOrElse(throw BadRequest("The request's body is not JSON."))
    val fault = FaultJson.parse(json)
    FaultJson.seed(json).foreach(faults.seed)
    Response.json(201, FaultJson(faults.inject(fault)))
  }
}
