package localhub.http

import scala.util.Using

/** The Data Explorer: files of this jar. */
object PageRoutes extends Routes {

  private val types =
    Map("html" -> "text/html", "css" -> "text/css", "js" -> "text/javascript", "svg" -> "image/svg+xml")
  private val files = Seq(
    "index.html",
    "explorer.css",
    "icon.svg",
    "api.js",
    "dom.js",
    "format.js",
    "hubs.js",
    "overview.js",
    "events.js",
    "send.js",
    "faults.js",
    "main.js"
  )

  private val replies: Map[String, Reply] = files.map(name => name -> load(name)).toMap

  override val answer: PartialFunction[Request, Reply] = {
    case Request("GET", Nil, _, _) => replies("index.html")
    case Request("GET", List(name), _, _) if replies.contains(name) => replies(name)
  }

  private def load(name: String): Reply = {
    val content = Using.resource(getClass.getResourceAsStream(s"/localhub/explorer/$name"))(_.readAllBytes())
    // The page runs its own scripts and none that an event's text could bring in.
    val policy = "default-src 'self'; base-uri 'none'; frame-ancestors 'none'"
    Reply(200, s"${types(name.split('.').last)}; charset=utf-8", content, Map("Content-Security-Policy" -> policy))
  }
}
