package org.apache.spark.eventhubs.registry

import java.net.{URI, URLEncoder}
import java.nio.charset.StandardCharsets.UTF_8
import java.time.Duration

import scala.annotation.tailrec
import scala.jdk.CollectionConverters._
import scala.util.Try

import com.azure.core.http.{HttpHeaderName, HttpMethod, HttpRequest, HttpResponse}
import com.azure.core.util.BinaryData
import com.fasterxml.jackson.databind.JsonNode

import org.apache.spark.eventhubs.Json
import org.apache.spark.eventhubs.options.ConnectionSettings
import org.apache.spark.eventhubs.rest.{NamespaceRequests, RefusedRequest, UnexpectedAnswer}

/**
 * The six REST calls of a namespace's schema registry. The service accepts identities of Microsoft Entra ID: the role
 * `Schema Registry Reader`, and `Schema Registry Contributor` for [[register]]. A call that may succeed later is
 * repeated until the connection's operation timeout.
 *
 * @param checkCancelled throws when the task that asks is to stop
 * @see azure-rest-api-specs, specification/schemaregistry/data-plane/SchemaRegistry
 */
private[spark] final class RegistryClient(settings: ConnectionSettings, checkCancelled: () => Unit = () => ())
    extends SchemaRegistry {

  import RegistryClient._

  private val requests = new NamespaceRequests(settings, checkCancelled)

  override def schema(id: SchemaId): Option[RegisteredSchema] =
    call(s"asking for the schema '$id'", HttpMethod.GET, s"$Groups/$$schemas/$id", acceptsSchema)(schemaIn(Some(id)))

  override def groups(): Seq[String] =
    pages("listing the schema groups", Groups)(node => Option.when(node.isTextual)(node.asText)).getOrElse(Nil)

  override def versions(name: SchemaName): Seq[Int] =
    pages(s"listing the versions of '$name'", s"${path(name)}/versions")(node =>
      Option.when(node.isIntegralNumber)(node.asInt)
    ).getOrElse(Nil)

  override def version(name: SchemaName, version: Int): Option[RegisteredSchema] =
    call(
      s"asking for version $version of '$name'",
      HttpMethod.GET,
      s"${path(name)}/versions/$version",
      acceptsSchema
    )(schemaIn(None))

  override def find(name: SchemaName, format: SchemaFormat, text: String): Option[SchemaId] =
    call(s"looking up the id of '$name'", HttpMethod.POST, s"${path(name)}:get-id", content(format, text))(idIn)

  override def register(name: SchemaName, format: SchemaFormat, text: String): SchemaId = {
    val doing = s"registering '$name'"
    call(doing, HttpMethod.PUT, path(name), content(format, text))(idIn)
      .getOrElse(throw RegistryErrors.noGroup(settings.hub, doing, name.group))
  }

  /** The values of all pages; None when the service does not have what the path names. */
  private def pages[A](doing: String, path: String)(value: JsonNode => Option[A]): Option[Seq[A]] = {
    @tailrec
    def from(next: String, found: Option[Vector[A]], seen: Set[String]): Option[Seq[A]] = {
      val page =
        call(doing, HttpMethod.GET, next, _.setHeader(HttpHeaderName.ACCEPT, "application/json"))(pageIn(value))
      val all = page.map(found.getOrElse(Vector.empty) ++ _.values).orElse(found)
      page.flatMap(_.next).filterNot(seen) match {
        case Some(following) => from(following, all, seen + following)
        case None => all
      }
    }
    from(path, None, Set(path))
  }

  private def call[A](doing: String, method: HttpMethod, path: String, prepare: HttpRequest => HttpRequest)(
      use: HttpResponse => A
  ): Option[A] = {
    val until = System.nanoTime() + settings.operationTimeout.toNanos
    try
      requests.repeated(_ => System.nanoTime() < until) {
        val separator = if (path.contains("?")) "&" else "?"
        val versioned = if (path.contains("api-version=")) path else s"$path${separator}api-version=$ApiVersion"
        requests.send(prepare(requests.request(method, versioned)))(answered(use))
      }
    catch { case failed: Throwable => throw RegistryErrors.translate(failed, settings.hub, doing) }
  }

  private def answered[A](use: HttpResponse => A)(answer: HttpResponse): Option[A] = answer.getStatusCode match {
    case 200 | 201 | 204 => Some(use(answer))
    case 404 if isOfRegistry(answer) => None
    case status => throw new RefusedRequest(status, said(answer), retryAfter(answer))
  }
}

private[registry] object RegistryClient {

  private val ApiVersion = "2022-10"
  private val Groups = "/$" + "schemaGroups"
  private val Id = HttpHeaderName.fromString("Schema-Id")
  private val LongestSaid = 300

  private final case class Page[A](values: Seq[A], next: Option[String])

  private def path(name: SchemaName): String = s"$Groups/${encoded(name.group)}/schemas/${encoded(name.name)}"

  private def encoded(segment: String): String = URLEncoder.encode(segment, UTF_8.name).replace("+", "%20")

  private val acceptsSchema: HttpRequest => HttpRequest = _.setHeader(
    HttpHeaderName.ACCEPT,
    s"${SchemaFormat.Avro.contentType}, ${SchemaFormat.Json.contentType}, ${SchemaFormat.Custom.contentType}"
  )

  private def content(format: SchemaFormat, text: String): HttpRequest => HttpRequest =
    _.setBody(BinaryData.fromString(text)).setHeader(HttpHeaderName.CONTENT_TYPE, format.contentType)
      .setHeader(HttpHeaderName.ACCEPT, "application/json")

  private def header(answer: HttpResponse, name: HttpHeaderName): Option[String] =
    Option(answer.getHeaderValue(name)).map(_.trim)

  private def contentType(answer: HttpResponse): String =
    header(answer, HttpHeaderName.CONTENT_TYPE).getOrElse("")

  private def text(answer: HttpResponse): String =
    Option(answer.getBodyAsByteArray.block()).fold("")(new String(_, UTF_8))

  private def schemaIn(asked: Option[SchemaId])(answer: HttpResponse): RegisteredSchema = {
    val format = SchemaFormat.ofContentType(contentType(answer)).getOrElse(throw unexpected("schema", answer))
    val id = asked.getOrElse(idIn(answer))
    RegisteredSchema(id, format, text(answer))
  }

  private def idIn(answer: HttpResponse): SchemaId =
    header(answer, Id).flatMap(SchemaId.parse).getOrElse(throw unexpected("schema id", answer))

  private def pageIn[A](value: JsonNode => Option[A])(answer: HttpResponse): Page[A] = {
    val page = Try(Json.mapper.readTree(text(answer))).toOption.filter(_.isObject)
      .getOrElse(throw unexpected("list", answer))
    val values = Seq("Value", "value").map(page.path).find(_.isArray).getOrElse(throw unexpected("list", answer))
    // Only its path, because the token must go to no other host.
    val next = Seq("NextLink", "nextLink").map(page.path).find(_.isTextual).map(_.asText).filter(_.nonEmpty)
      .flatMap(link => Try(new URI(link)).toOption).filter(link => Option(link.getRawPath).exists(_.startsWith("/")))
      .map(link => link.getRawPath + Option(link.getRawQuery).fold("")("?" + _))
    Page(values.elements.asScala.map(value(_).getOrElse(throw unexpected("list", answer))).toSeq, next)
  }

  private def unexpected(what: String, answer: HttpResponse) = {
    val found = Some(contentType(answer)).filter(_.nonEmpty).fold("no content type")(known => s"content type '$known'")
    new UnexpectedAnswer(s"the answer is no $what: it has status ${answer.getStatusCode} and $found")
  }

  /** Something else than a registry has no item either: a gateway, or another service at this address. */
  private def isOfRegistry(answer: HttpResponse): Boolean =
    Try(Json.mapper.readTree(text(answer))).toOption.exists(_.path("error").path("code").isTextual)

  private def retryAfter(answer: HttpResponse): Option[Duration] =
    header(answer, HttpHeaderName.RETRY_AFTER).flatMap(_.toLongOption).filter(_ >= 0).map(Duration.ofSeconds)

  /** The service appends its own tracking ids. */
  private def said(answer: HttpResponse): String =
    Try(Json.mapper.readTree(text(answer))).toOption
      .map(node => Seq(node.path("error").path("message"), node.path("Message"), node.path("Detail")))
      .flatMap(_.find(_.isTextual))
      .map(_.asText.replaceFirst("(?s)\\s*TrackingId:.*", "").trim.take(LongestSaid))
      .fold(if (contentType(answer).isEmpty) "" else s", content type '${contentType(answer)}'")(text => s": $text")
}
