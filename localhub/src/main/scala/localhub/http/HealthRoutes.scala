package localhub.http

/** As the official emulator answers, so that its users' health checks work. */
object HealthRoutes extends Routes {
  override val answer: PartialFunction[Request, Reply] = { case Request("GET", List("health"), _, _) =>
    Reply.json(200, ujson.Obj("status" -> "healthy", "message" -> "Service is healthy."))
  }
}
