package localhub.amqp.server

import java.net.URLEncoder
import java.nio.charset.StandardCharsets.UTF_8

import org.slf4j.LoggerFactory

import localhub.amqp.layer.{HttpAnswer, HttpHead, HttpResource}
import localhub.auth.{Access, Claim, Grant}
import localhub.schemas.{RegisteredSchema, SchemaFormat, SchemaRefusal, SchemaRegistry}

/**
 * Azure Schema Registry: the service's six requests below `/$schemaGroups`.
 *
 * @param takesSignatures whether a shared access signature with Manage is as good as a role
 */
private[amqp] final class SchemaResource(registry: SchemaRegistry, tokens: ManagerTokens, takesSignatures: Boolean)
    extends HttpResource {
  import SchemaResource._

  override def answer(request: HttpHead): Option[HttpAnswer] = request.segments match {
    case first :: rest if request.path.nonEmpty && first.equalsIgnoreCase(Root) =>
      Some(refusal(request).getOrElse(answer(request, rest)))
    case _ => None
  }

  private def refusal(request: HttpHead): Option[HttpAnswer] = {
    val claim = if (request.method == "PUT") Claim.WriteSchemas else Claim.ReadSchemas
    val granted = token(request).filterOrElse(_.allows(Access(claim, "")), s"$claim claim required for this operation.")
    val version = request.query.get("api-version")
    granted.swap.toOption.map { reason =>
      log.warn(s"A token for the schema registry is refused: $reason")
      error("401 Unauthorized", "Unauthorized", reason)
    }.orElse(Option.when(!version.exists(Versions.contains)) {
      invalid(s"The api-version '${version.mkString}' is not one of ${Versions.mkString(", ")}.")
    })
  }

  private def token(request: HttpHead): Either[String, Grant] =
    if (takesSignatures || tokens.isBearer(request)) tokens.grant(request).left.map(_.description)
    else Left("The schema registry takes the tokens of applications with a role only.")

  private def answer(request: HttpHead, path: List[String]): HttpAnswer = (request.method, path) match {
    case ("GET", Nil) => page(request, registry.groups.map(group => ujson.Str(group.name)))
    case ("GET", List(Ids, id)) =>
      if (id.matches(Id)) reply(request, registry.byId(id)) else invalid(NoId)
    case ("GET", List(group, Schemas, name, "versions")) =>
      registry.versions(group, name).fold(refused, all => page(request, all.map(each => ujson.Num(each.version))))
    case ("GET", List(group, Schemas, name, "versions", number)) =>
      number.toIntOption.fold(invalid(s"'$number' is not a version of a schema."))(version =>
        reply(request, registry.byVersion(group, name, version))
      )
    case ("POST", List(group, Schemas, named)) if named.endsWith(ByContent) =>
      withContent(request)(registry.byContent(group, named.stripSuffix(ByContent), _, request.body))
    case ("PUT", List(group, Schemas, name)) => withContent(request)(registry.register(group, name, _, request.body))
    case _ => error("404 Not Found", "ItemNotFound", "There is no such resource.")
  }

  private def withContent(request: HttpHead)(
      find: SchemaFormat => Either[SchemaRefusal, RegisteredSchema]
  ): HttpAnswer = {
    val contentType = request.headers.getOrElse("content-type", "")
    val known = SchemaFormat.ofContentType(contentType).filter(_.since <= request.query.getOrElse("api-version", ""))
    if (request.body.isEmpty)
      invalid("Error when consuming request body: The body of the message cannot be read because it is empty.")
    else
      known.fold {
        val format = contentType.drop(contentType.indexOf('=') + 1)
        val problem = s"Invalid schema type for ${request.method} request. '$format' is not supported."
        error("415 Unsupported Media Type", "InvalidSchemaType", problem)
      }(format => find(format).fold(refused, found => HttpAnswer("204 No Content", facts(request, found), "")))
  }

  private def reply(request: HttpHead, found: Either[SchemaRefusal, RegisteredSchema]): HttpAnswer = found.fold(
    refused,
    schema =>
      HttpAnswer("200 OK", ("Content-Type" -> schema.format.contentType) +: facts(request, schema), schema.content)
  )

  private def facts(request: HttpHead, schema: RegisteredSchema): Seq[(String, String)] = {
    val version = request.query.get("api-version").fold("")(text => s"?api-version=$text")
    val root = address(request)
    val versions = s"$root/${segment(schema.group)}/schemas/${segment(schema.name)}/versions"
    Seq(
      "Location" -> s"$versions/${schema.version}$version",
      "Schema-Id" -> schema.id,
      "Schema-Id-Location" -> s"$root/$Ids/${schema.id}$version",
      "Schema-Group-Name" -> schema.group,
      "Schema-Name" -> schema.name,
      "Schema-Version" -> schema.version.toString,
      "Schema-Versions-Location" -> s"$versions$version"
    )
  }

  /** A part of a list, with a link to the next part. */
  private def page(request: HttpHead, all: Seq[ujson.Value]): HttpAnswer = {
    val skip = request.query.get("skip").flatMap(_.toIntOption).filter(_ > 0).getOrElse(0)
    val rest = all.drop(skip)
    val json = ujson.Obj("Value" -> ujson.Arr.from(rest.take(PageSize)))
    if (rest.size > PageSize) {
      val path = request.segments.drop(1).map(part => s"/${segment(part)}").mkString
      val version = request.query.getOrElse("api-version", "")
      json("NextLink") = s"${address(request)}$path?api-version=$version&skip=${skip + PageSize}"
    }
    HttpAnswer("200 OK", "application/json", ujson.write(json))
  }

  private def address(request: HttpHead): String =
    s"${request.scheme}://${request.headers.getOrElse("host", "localhost")}/$$schemagroups"
}

private object SchemaResource {
  private val log = LoggerFactory.getLogger(classOf[SchemaResource])

  val Versions: Seq[String] = Seq("2021-10", "2022-10", "2023-07-01")
  val Root: String = "$" + "schemaGroups"
  val Ids: String = "$" + "schemas"
  val Schemas = "schemas"
  val ByContent = ":get-id"

  /** The size of the service's pages is not known. */
  val PageSize = 100

  /** A GUID, with its hyphens or without. */
  val Id = "(?i)[0-9a-f]{32}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"
  val NoId = "SubCode=40000, UnknownType:The request is invalid. [MGResponseHttpError=BadRequest]."

  def refused(reason: SchemaRefusal): HttpAnswer = {
    val (status, code) = reason match {
      case _: SchemaRefusal.InvalidName | _: SchemaRefusal.InvalidSchema => "400 Bad Request" -> "InvalidRequest"
      case _: SchemaRefusal.OtherFormat => "415 Unsupported Media Type" -> "InvalidSchemaType"
      case _: SchemaRefusal.Full => "403 Forbidden" -> "QuotaExceeded"
      case _ => "404 Not Found" -> "ItemNotFound"
    }
    error(status, code, reason.message)
  }

  def invalid(problem: String): HttpAnswer = error("400 Bad Request", "InvalidRequest", problem)

  def error(status: String, code: String, problem: String): HttpAnswer = {
    val json = ujson.Obj("error" -> ujson.Obj("code" -> code, "message" -> TrackingId.behind(problem)))
    HttpAnswer(status, Seq("Content-Type" -> "application/json", "x-ms-error-code" -> code), ujson.write(json))
  }

  def segment(text: String): String = URLEncoder.encode(text, UTF_8).replace("+", "%20")
}
