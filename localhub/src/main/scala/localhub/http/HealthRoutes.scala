package localhub.http

/**
 * Answers as the official emulator does, so that health checks written for it work.
 *
 * @param problem why events cannot be stored now
 */
private[localhub] final class HealthRoutes(problem: () => Option[String]) extends Routes {
  override val answer: PartialFunction[Request, Response] = { case Request("GET", List("health"), _, _) =>
    problem() match {
      case None => Response.json(200, ujson.Obj("status" -> "healthy", "message" -> "Service is healthy."))
      case Some(reason) => Response.json(503, ujson.Obj("status" -> "unhealthy", "message" -> reason))
    }
  }
}
