package org.apache.spark.eventhubs.listing

import java.net.URL
import java.time.Duration
import java.util.Locale
import javax.xml.stream.XMLStreamException

import scala.annotation.tailrec

import com.azure.core.credential.TokenRequestContext
import com.azure.core.http.{HttpHeaderName, HttpMethod, HttpRequest, HttpResponse}

import org.apache.spark.eventhubs.Credential
import org.apache.spark.eventhubs.options.ConnectionSettings
import org.apache.spark.eventhubs.retry.{BackOff, CancellableWait, MonotonicClock}
import org.apache.spark.eventhubs.signin.{
  CurrentSharedAccess,
  EntraSignIn,
  SignInHttpClient,
  SignInNetwork,
  TokenIdentity
}
import org.apache.spark.internal.Logging

/**
 * The event hubs of a namespace, from the service's REST request "List Event Hubs". AMQP has no such request. The
 * credential needs the Manage claim on the namespace.
 */
private[spark] final class NamespaceHubs(settings: ConnectionSettings) extends HubDirectory with Logging {
  import NamespaceHubs._

  private val network = SignInNetwork.of(settings)
  private val http = new SignInHttpClient(network)
  private val address = NamespaceAddress.of(settings)
  private val failures = new ListingFailures(settings.hub, address)

  /** @throws EventHubsException EVENTHUBS_HUB_LIST, EVENTHUBS_CERTIFICATE */
  override def names(): Seq[String] = namesFrom(Vector.empty)

  @tailrec
  private def namesFrom(found: Vector[String]): Seq[String] = {
    val page = attempt(found.size, failed = 0)
    val known = found.map(lower).toSet
    val added = page.names.filterNot(name => known(lower(name)))
    // Some SDKs follow the link, others ask until a page is short. Together they lose nothing.
    val isLast = !page.hasNext && page.names.size < PageSize
    if (isLast) found ++ added
    else if (added.isEmpty) {
      // A server that takes no notice of $skip repeats its first page.
      if (page.names.nonEmpty) logWarning(
        s"The list of $address ends at ${found.size} event hubs, because the next page repeats them. " +
          "If hubs are missing, list the names in 'eventhubs.name'"
      )
      found
    } else namesFrom(found ++ added)
  }

  @tailrec
  private def attempt(skip: Int, failed: Int): HubFeedPage = {
    val result =
      try Right(page(skip))
      catch { case failure: Throwable => Left(failure) }
    result match {
      case Right(page) => page
      case Left(failure) if failed < math.min(settings.maxRetries, MaxRetries) && failures.isTransient(failure) =>
        CancellableWait(new MonotonicClock, Pauses.nanos(failed + 1), () => ())
        attempt(skip, failed + 1)
      case Left(failure) => throw failures.translate(failure)
    }
  }

  private def page(skip: Int): HubFeedPage = {
    val request = new HttpRequest(HttpMethod.GET, new URL(s"$address$Resource&$$skip=$skip&$$top=$PageSize"))
    request.setHeader(HttpHeaderName.AUTHORIZATION, authorization)
    request.setHeader(HttpHeaderName.USER_AGENT, "spark-eventhubs")
    // The service answers with Atom, whatever it is asked for. Without this header, Java asks for HTML.
    request.setHeader(HttpHeaderName.ACCEPT, "application/atom+xml, application/xml")
    val answer = http.send(request).block()
    try pageIn(answer)
    finally answer.close()
  }

  private def pageIn(answer: HttpResponse): HubFeedPage = {
    val body = answer.getBodyAsByteArray.block()
    if (answer.getStatusCode != 200) throw new RefusedListing(answer.getStatusCode, body)
    try HubFeedPage.parse(body)
    catch { case other: XMLStreamException => throw new NoListing(other) }
  }

  /** The token is for the namespace: one for an event hub allows nothing here. */
  private def authorization: String = settings.credential match {
    case shared: Credential.SharedAccess =>
      val resource = s"https://${settings.hub.namespace}/"
      new CurrentSharedAccess(shared).getTokenSync(new TokenRequestContext().addScopes(resource)).getToken
    case entra: Credential.Entra =>
      val request = new TokenRequestContext().addScopes(TokenIdentity.Scope)
      s"Bearer ${EntraSignIn.of(entra, network).getTokenSync(request).getToken}"
  }
}

private[listing] object NamespaceHubs {

  /** The service's largest page. */
  val PageSize = 100

  private val Resource = "/$" + "Resources/Eventhubs?timeout=10&api-version=2014-01"
  private val MaxRetries = 2
  private val Pauses = new BackOff(Duration.ofMillis(300), Duration.ofSeconds(2), () => 0.5)

  private def lower(name: String): String = name.toLowerCase(Locale.ROOT)
}
