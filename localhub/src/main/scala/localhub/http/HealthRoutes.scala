package localhub.http

/** Answers as the official emulator does, so that health checks written for it work. */
private[localhub] object HealthRoutes extends Routes {
  override val answer: PartialFunction[Request, Response] = { case Request("GET", List("health"), _, _) =>
    Response.json(200, ujson.Obj("status" -> "healthy", "message" -> "Service is healthy."))
  }
}
