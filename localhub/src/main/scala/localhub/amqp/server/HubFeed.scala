package localhub.amqp.server

import java.net.URLEncoder
import java.nio.charset.StandardCharsets.UTF_8

import scala.math.{max, min}

import localhub.amqp.layer.{HttpAnswer, HttpHead, HttpResource}
import localhub.namespace.{EventHub, Namespace}

/**
 * The service's request `GET /$Resources/Eventhubs`: an Atom feed of the namespace's event hubs by name, in pages of
 * `$top` after the first `$skip`. A page that more hubs follow links to the next one. The token must have the Manage
 * claim on the namespace.
 */
private[amqp] final class HubFeed(namespace: Namespace, tokens: ManagerTokens) extends HttpResource {
  import HubFeed._

  override def answer(request: HttpHead): Option[HttpAnswer] =
    request.path.filter(path => request.method == "GET" && path.equalsIgnoreCase(Path)).map { _ =>
      tokens.ofManager(request, "the list of hubs", "EntityRead")(page(request, _))
    }

  private def page(request: HttpHead, host: String): HttpAnswer = {
    def number(name: String, default: Int): Int = request.query.get(name).flatMap(_.toIntOption).getOrElse(default)
    val skip = max(0, number("$skip", 0))
    val top = min(MaxPage, max(0, number("$top", MaxPage)))
    val remaining = namespace.all.drop(skip)
    val hubs = remaining.take(top)
    val self = link("self", request, skip, top)
    val next = if (hubs.nonEmpty && hubs.size < remaining.size) link("next", request, skip + top, top) else ""
    val address = s"https://${escaped(host)}"
    HttpAnswer(
      "200 OK",
      "application/atom+xml;type=feed;charset=utf-8",
      """<feed xmlns="http://www.w3.org/2005/Atom"><title type="text">Eventhubs</title>""" +
        s"<id>$address$Path</id>$self$next${hubs.map(entry(address, _)).mkString}</feed>"
    )
  }

  private def link(kind: String, request: HttpHead, skip: Int, top: Int): String = {
    val authority = escaped(request.headers.getOrElse("host", "localhost"))
    val version = request.query.get("api-version").fold("")(text =>
      s"&amp;api-version=${URLEncoder.encode(text, UTF_8)}"
    )
    s"""<link rel="$kind" href="https://$authority$Path?%24skip=$skip&amp;%24top=$top$version"/>"""
  }

  private def entry(address: String, hub: EventHub): String = {
    val name = escaped(hub.name)
    val days = hub.config.retention.time.fold("")(limit =>
      s"<MessageRetentionInDays>${max(1L, limit.toDays)}</MessageRetentionInDays>"
    )
    val ids = hub.partitions.indices.map(id => s"<d2p1:string>$id</d2p1:string>").mkString
    s"""<entry><id>$address/$name</id><title type="text">$name</title><published>${hub.createdAt}</published>""" +
      s"""<content type="application/xml"><EventHubDescription xmlns="$ServiceBus">$days<Status>Active</Status>""" +
      s"<CreatedAt>${hub.createdAt}</CreatedAt><PartitionCount>${hub.partitions.size}</PartitionCount>" +
      s"""<PartitionIds xmlns:d2p1="$Arrays">$ids</PartitionIds></EventHubDescription></content></entry>"""
  }
}

private object HubFeed {
  val Path: String = "/$" + "Resources/Eventhubs"

  /** The service's largest page. */
  val MaxPage = 100

  val ServiceBus = "http://schemas.microsoft.com/netservices/2010/10/servicebus/connect"
  val Arrays = "http://schemas.microsoft.com/2003/10/Serialization/Arrays"

  def escaped(text: String): String =
    text.flatMap {
      case '&' => "&amp;"
      case '<' => "&lt;"
      case '>' => "&gt;"
      case '"' => "&quot;"
      case other => other.toString
    }
}
