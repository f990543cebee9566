package localhub.http

import localhub.InvalidHubException
import localhub.browse.InvalidEventException
import localhub.log.LogFullException

/** Some requests and their answers, and which methods each path of theirs knows. */
trait Routes {

  /** Defined for the requests that it answers, by method and path. */
  def answer: PartialFunction[Request, Reply]
}

/** Finds who answers a request. */
final class Router(routes: Seq[Routes]) {

  def answer(request: Request): Reply = {
    // A GET whose body the caller leaves out.
    val effective = if (request.method == "HEAD") request.copy(method = "GET") else request
    try find(effective).getOrElse(refusal(effective))
    catch {
      case invalid @ (_: InvalidHubException | _: InvalidEventException) => Reply.error(400, invalid.getMessage)
      case full: LogFullException => Reply.error(507, full.getMessage)
    }
  }

  private def find(request: Request): Option[Reply] =
    routes.iterator.map(_.answer).find(_.isDefinedAt(request)).map(_.apply(request))

  private def refusal(request: Request): Reply = {
    val path = request.path.mkString("/", "/", "")
    val others = Router.Methods.filter(method => routes.exists(_.answer.isDefinedAt(request.copy(method = method))))
    if (others.isEmpty) Reply.error(404, s"There is nothing at $path.")
    else
      Reply
        .error(405, s"$path does not know ${request.method}; it knows ${others.mkString(", ")}.")
        .copy(headers = Map("Allow" -> others.mkString(", ")))
  }
}

object Router {
  private val Methods = Seq("GET", "PUT", "POST", "DELETE")
}
