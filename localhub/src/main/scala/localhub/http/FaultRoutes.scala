package localhub.http

import scala.util.Try

import localhub.amqp.fault.Faults

/** Misbehaviour on command. */
final class FaultRoutes(faults: Faults) extends Routes {

  override val answer: PartialFunction[Request, Reply] = {
    case Request("GET", List("faults"), _, _) =>
      Reply.json(200, ujson.Obj("faults" -> ujson.Arr.from(faults.active.map(FaultJson(_)))))
    case Request("POST", List("faults"), _, body) => inject(body)
    case Request("DELETE", List("faults"), _, _) =>
      faults.clear()
      Reply.NoContent
    case Request("DELETE", List("faults", id), _, _) =>
      if (id.toLongOption.exists(faults.cancel)) Reply.NoContent
      else Reply.error(404, s"There is no fault '$id' (any more).")
  }

  private def inject(body: Array[Byte]): Reply = {
    val json = Try(ujson.read(body)).getOrElse(throw BadRequest("The request's body is not JSON."))
    val fault = FaultJson.parse(json)
    FaultJson.seed(json).foreach(faults.seed)
    Reply.json(201, FaultJson(faults.inject(fault)))
  }
}
