package localhub.authority

/** Answers token requests of applications: the client credentials grant of OAuth 2. */
private[authority] final class TokenEndpoint(tenant: Tenant, issuer: TokenIssuer) {
  import TokenEndpoint._

  private val clients = new ClientAuthentication(tenant)

  val answer: PartialFunction[Call, Answer] = {
    case Call("POST", List(name, "oauth2", "v2.0", "token"), _, form, _) => answer(name, form)
    case Call("POST", List(name, "oauth2", "token"), _, form, _) => answer(name, form)
  }

  private def answer(name: String, form: Map[String, String]): Answer = {
    val issued = for {
      _ <- Either.cond(tenant.hasName(name), (), EntraError.unknownTenant(name))
      kind <- form.get("grant_type").toRight(EntraError.missing("grant_type"))
      _ <- Either.cond(kind == ClientCredentials, (), EntraError.grantType(kind))
      found <- clients.authenticate(name, form)
      (application, method) = found
      resource <- resource(form)
      _ <- Either.cond(Resources.isKnown(resource), (), EntraError.unknownResource(resource, tenant.id))
    } yield issuer.issue(application, resource, method)
    issued.fold(_.answer(tenant.now, tenant.address), success)
  }

  private def success(token: IssuedToken): Answer = {
    val seconds = ujson.Num(token.lifetime.toSeconds.toDouble)
    Answer.ok(
      "token_type" -> "Bearer",
      "expires_in" -> seconds,
      "ext_expires_in" -> seconds,
      "access_token" -> token.text
    )
  }

  /** Version 1 names a resource, version 2 a scope. */
  private def resource(form: Map[String, String]): Either[EntraError, String] =
    (form.get("scope").map(_.split(' ').toSeq.filterNot(Standard)), form.get("resource")) match {
      case (Some(Seq(scope)), _) if scope.endsWith(DefaultScope) => Right(scope.stripSuffix(DefaultScope))
      case (Some(scopes), None) => Left(EntraError.scope(scopes.mkString(" ")))
      case (_, Some(resource)) => Right(resource)
      case (None, None) => Left(EntraError.missing("scope"))
    }
}

private[authority] object TokenEndpoint {
  private val ClientCredentials = "client_credentials"
  private val DefaultScope = "/.default"

  /** Scopes that libraries add to every request. */
  private val Standard = Set("openid", "profile", "offline_access")
}
