package localhub.http

import localhub.InvalidHubException
import localhub.browse.InvalidEventException
import localhub.log.LogFullException

/** Answers a group of requests. */
private[localhub] trait Routes {

  /** Defined for the requests of this group, by method and path. */
  def answer: PartialFunction[Request, Response]
}

/** Finds the route for a request. */
private[localhub] final class Router(routes: Seq[Routes]) {

  def answer(request: Request): Response = {
    // HEAD is a GET; the caller omits the body.
    val effective = if (request.method == "HEAD") request.copy(method = "GET") else request
    try find(effective).getOrElse(refusal(effective))
    catch {
      case invalid @ (_: InvalidHubException | _: InvalidEventException) => Response.error(400, invalid.getMessage)
      case full: LogFullException => Response.error(507, full.getMessage)
    }
  }

  private def find(request: Request): Option[Response] =
    routes.iterator.map(_.answer).find(_.isDefinedAt(request)).map(_.apply(request))

  private def refusal(request: Request): Response = {
    val path = request.path.mkString("/", "/", "")
    val others = Router.Methods.filter(method => routes.exists(_.answer.isDefinedAt(request.copy(method = method))))
    if (others.isEmpty) Response.error(404, s"There is nothing at $path.")
    else
      Response
        .error(405, s"$path does not support ${request.method}; it supports ${others.mkString(", ")}.")
        .copy(headers = Map("Allow" -> others.mkString(", ")))
  }
}

private[localhub] object Router {
  private val Methods = Seq("GET", "PUT", "POST", "DELETE")
}
