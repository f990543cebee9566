package localhub.http

import scala.util.Using

/** Serves the files of the Data Explorer from this jar. */
private[localhub] object ExplorerRoutes extends Routes {

  private val types =
    Map("html" -> "text/html", "css" -> "text/css", "js" -> "text/javascript", "svg" -> "image/svg+xml")
  private val files = Seq(
    "index.html",
    "explorer.css",
    "icon.svg",
    "api.js",
    "chart.js",
    "charts.js",
    "detail.js",
    "dom.js",
    "events.js",
    "faults.js",
    "format.js",
    "groups.js",
    "hex.js",
    "history.js",
    "hubs.js",
    "main.js",
    "overview.js",
    "readers.js",
    "schemas.js",
    "send.js"
  )

  private val replies: Map[String, Response] = files.map(name => name -> load(name)).toMap

  override val answer: PartialFunction[Request, Response] = {
    case Request("GET", Nil, _, _) => replies("index.html")
    case Request("GET", List(name), _, _) if replies.contains(name) => replies(name)
  }

  private def load(name: String): Response = {
    val content = Using.resource(getClass.getResourceAsStream(s"/localhub/explorer/$name"))(_.readAllBytes())
    // The page runs only its own scripts, never one from an event's text.
    val policy = "default-src 'self'; base-uri 'none'; frame-ancestors 'none'"
    Response(200, s"${types(name.split('.').last)}; charset=utf-8", content, Map("Content-Security-Policy" -> policy))
  }
}
