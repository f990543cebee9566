package localhub.authority

import java.util.UUID

/**
 * Gives tokens to the identities of "this machine", over plain http as in Azure: the endpoint of App Service
 * (`IDENTITY_ENDPOINT`) and that of virtual machines (`AZURE_POD_IDENTITY_AUTHORITY_HOST`).
 *
 * @param secret what App Service expects in the header X-IDENTITY-HEADER
 */
private[authority] final class ManagedIdentityEndpoint(tenant: Tenant, issuer: TokenIssuer, secret: String) {
  import ManagedIdentityEndpoint._

  val answer: PartialFunction[Call, Answer] = {
    case call @ Call("GET", AppServicePath, _, _, _) => appService(call)
    case call @ Call("GET", MachinePath, _, _, _) => machine(call)
  }

  private def appService(call: Call): Answer = {
    def refusal(status: Int, text: String) = Answer(
      status,
      ujson.Obj("statusCode" -> status, "message" -> text, "correlationId" -> UUID.randomUUID.toString)
    )
    if (!call.header("X-IDENTITY-HEADER").contains(secret)) refusal(401, "The header X-IDENTITY-HEADER is wrong.")
    else
      (identity(call.query), call.query.get("resource")) match {
        case (None, _) => refusal(400, NotFound)
        case (_, None) => refusal(400, "The parameter 'resource' is missing.")
        case (_, Some(resource)) if !Resources.isKnown(resource) =>
          refusal(400, EntraError.unknownResource(resource, tenant.id).text)
        case (Some(found), Some(resource)) => success(found, resource)
      }
  }

  private def machine(call: Call): Answer = {
    def refusal(error: String, text: String) =
      Answer(400, ujson.Obj("error" -> error, "error_description" -> text))
    if (!call.header("Metadata").exists(_.equalsIgnoreCase("true")))
      refusal("invalid_request", "Required metadata header not specified")
    else
      (identity(call.query), call.query.get("resource")) match {
        case (None, _) => refusal("invalid_request", "Identity not found")
        case (_, None) => refusal("invalid_request", "Required query variable 'resource' is missing")
        case (_, Some(resource)) if !Resources.isKnown(resource) =>
          refusal("invalid_resource", EntraError.unknownResource(resource, tenant.id).text)
        case (Some(found), Some(resource)) => success(found, resource)
      }
  }

  private def identity(query: Map[String, String]): Option[Application] = {
    val all = tenant.applications.filter(_.managedIdentity.nonEmpty)
    val objectId = Seq("object_id", "principal_id").flatMap(query.get).headOption
    (query.get("client_id"), objectId) match {
      case (Some(id), _) => all.find(_.clientId.equalsIgnoreCase(id))
      case (None, Some(id)) => all.find(_.objectId.equalsIgnoreCase(id))
      case (None, None) => all.find(_.managedIdentity.contains(ManagedIdentityKind.SystemAssigned))
    }
  }

  private def success(application: Application, resource: String): Answer = {
    val token = issuer.issue(application, resource, TokenIssuer.ByAssertion)
    // As texts, as both endpoints have them.
    Answer.ok(
      "access_token" -> token.text,
      "client_id" -> application.clientId,
      "expires_in" -> token.lifetime.toSeconds.toString,
      "expires_on" -> token.expiresAt.getEpochSecond.toString,
      "resource" -> resource,
      "token_type" -> "Bearer"
    )
  }
}

private[authority] object ManagedIdentityEndpoint {
  val AppServicePath: List[String] = List("msi", "token")
  val MachinePath: List[String] = List("metadata", "identity", "oauth2", "token")

  private val NotFound = "No managed identity was found for the specified ClientId/ResourceId/PrincipalId."
}
