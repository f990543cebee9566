package org.apache.spark.eventhubs.listing

import java.util.Locale
import javax.xml.stream.XMLStreamException

import scala.annotation.tailrec

import com.azure.core.http.{HttpHeaderName, HttpMethod, HttpResponse}

import org.apache.spark.eventhubs.options.ConnectionSettings
import org.apache.spark.eventhubs.rest.{NamespaceRequests, UnexpectedAnswer}
import org.apache.spark.internal.Logging

/**
 * The event hubs of a namespace, from the service's REST request "List Event Hubs". AMQP has no such request. The
 * credential needs the Manage claim on the namespace.
 */
private[spark] final class NamespaceHubs(settings: ConnectionSettings) extends HubDirectory with Logging {
  import NamespaceHubs._

  private val requests = new NamespaceRequests(settings)
  private val failures = new ListingFailures(settings.hub, requests.address)

  /** @throws EventHubsException EVENTHUBS_HUB_LIST, EVENTHUBS_CERTIFICATE */
  override def names(): Seq[String] = namesFrom(Vector.empty)

  @tailrec
  private def namesFrom(found: Vector[String]): Seq[String] = {
    val page =
      try requests.repeated(_ <= math.min(settings.maxRetries, MaxRetries))(pageFrom(found.size))
      catch { case failed: Throwable => throw failures.translate(failed) }
    val known = found.map(lower).toSet
    val added = page.names.filterNot(name => known(lower(name)))
    // Some SDKs follow the link, others ask until a page is short. Together they lose nothing.
    val isLast = !page.hasNext && page.names.size < PageSize
    if (isLast) found ++ added
    else if (added.isEmpty) {
      // A server that takes no notice of $skip repeats its first page.
      if (page.names.nonEmpty) logWarning(
        s"The list of ${requests.address} ends at ${found.size} event hubs, because the next page repeats them. " +
          "If hubs are missing, list the names in 'eventhubs.name'"
      )
      found
    } else namesFrom(found ++ added)
  }

  private def pageFrom(skip: Int): HubFeedPage = {
    val request = requests.request(HttpMethod.GET, s"$Resource&$$skip=$skip&$$top=$PageSize")
    // The service answers with Atom, whatever it is asked for. Without this header, Java asks for HTML.
    request.setHeader(HttpHeaderName.ACCEPT, "application/atom+xml, application/xml")
    requests.send(request)(pageIn)
  }

  private def pageIn(answer: HttpResponse): HubFeedPage = {
    val body = answer.getBodyAsByteArray.block()
    if (answer.getStatusCode != 200) throw ListingFailures.refused(answer.getStatusCode, body)
    try HubFeedPage.parse(body)
    catch {
      case other: XMLStreamException => throw new UnexpectedAnswer("the answer is no list of event hubs", Some(other))
    }
  }
}

private[listing] object NamespaceHubs {

  /** The service's largest page. */
  val PageSize = 100

  private val Resource = "/$" + "Resources/Eventhubs?timeout=10&api-version=2014-01"
  private val MaxRetries = 2

  private def lower(name: String): String = name.toLowerCase(Locale.ROOT)
}
