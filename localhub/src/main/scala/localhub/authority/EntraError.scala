package localhub.authority

import java.time.Instant
import java.time.temporal.ChronoUnit
import java.util.UUID

/** A refusal as Microsoft Entra ID answers it: the OAuth error, its AADSTS code and the text. */
private[authority] final case class EntraError(status: Int, error: String, code: Int, text: String) {

  def answer(now: Instant, authority: String): Answer = {
    val time = now.truncatedTo(ChronoUnit.SECONDS).toString.replace('T', ' ')
    val (trace, correlation) = (UUID.randomUUID.toString, UUID.randomUUID.toString)
    Answer(
      status,
      ujson.Obj(
        "error" -> error,
        "error_description" -> s"AADSTS$code: $text Trace ID: $trace Correlation ID: $correlation Timestamp: $time",
        "error_codes" -> ujson.Arr(code),
        "timestamp" -> time,
        "trace_id" -> trace,
        "correlation_id" -> correlation,
        "error_uri" -> s"$authority/error?code=$code"
      )
    )
  }
}

private[authority] object EntraError {
  private val InvalidClient = "invalid_client"
  private val InvalidRequest = "invalid_request"

  def unknownTenant(name: String): EntraError = EntraError(
    400,
    InvalidRequest,
    90002,
    s"Tenant '$name' not found. Check to make sure you have the correct tenant ID and are signing into the correct cloud."
  )

  def unknownApplication(clientId: String, tenant: String): EntraError = EntraError(
    400,
    "unauthorized_client",
    700016,
    s"Application with identifier '$clientId' was not found in the directory '$tenant'. This can happen if the " +
      "application has not been installed by the administrator of the tenant. You may have sent your authentication " +
      "request to the wrong tenant."
  )

  def invalidSecret(application: Application): EntraError = EntraError(
    401,
    InvalidClient,
    7000215,
    "Invalid client secret provided. Ensure the secret being sent in the request is the client secret value, not the " +
      s"client secret ID, for a secret added to app '${application.clientId}'."
  )

  def expiredSecret(application: Application): EntraError = EntraError(
    401,
    InvalidClient,
    7000222,
    s"The provided client secret keys for app '${application.clientId}' are expired. Create new keys for your app."
  )

  def noCredential: EntraError = EntraError(
    401,
    InvalidClient,
    7000218,
    "The request body must contain the following parameter: 'client_assertion' or 'client_secret'."
  )

  def badAssertion(application: Application, thumbprint: String): EntraError = EntraError(
    401,
    InvalidClient,
    700027,
    "The certificate with identifier used to sign the client assertion is not registered on application. [Reason - " +
      s"The key was not found., Thumbprint of key used by client: '$thumbprint', App '${application.clientId}']"
  )

  def badAssertionSignature(application: Application): EntraError = EntraError(
    401,
    InvalidClient,
    700027,
    "Client assertion failed signature validation. [Reason - The provided signature value did not match the expected " +
      s"signature value., App '${application.clientId}']"
  )

  def assertionTime(reason: String): EntraError =
    EntraError(401, InvalidClient, 700024, s"Client assertion is not within its valid time range. $reason")

  def assertionAudience(audience: String): EntraError = EntraError(
    401,
    InvalidClient,
    700023,
    s"Client assertion audience claim does not match Realm issuer. Audience of the assertion: '$audience'."
  )

  def assertionSubject(clientId: String): EntraError = EntraError(
    401,
    InvalidClient,
    700021,
    s"Client assertion application identifier doesn't match 'client_id' parameter '$clientId'."
  )

  def malformedAssertion: EntraError =
    EntraError(401, InvalidClient, 50027, "JWT token is invalid or malformed.")

  def federatedSubject(subject: String): EntraError = EntraError(
    401,
    InvalidClient,
    700213,
    s"No matching federated identity record found for presented assertion subject '$subject'. Check your federated " +
      "identity credential Subject, Audience and Issuer against the presented assertion."
  )

  def federatedAudience(audience: String): EntraError = EntraError(
    401,
    InvalidClient,
    700212,
    s"No matching federated identity record found for presented assertion audience '$audience'. Check your federated " +
      "identity credential Subject, Audience and Issuer against the presented assertion."
  )

  def federatedIssuer(issuer: String): EntraError = EntraError(
    401,
    InvalidClient,
    700211,
    s"No matching federated identity record found for presented assertion issuer '$issuer'. Check your federated " +
      "identity credential Subject, Audience and Issuer against the presented assertion."
  )

  def missing(parameter: String): EntraError = EntraError(
    400,
    InvalidRequest,
    900144,
    s"The request body must contain the following parameter: '$parameter'."
  )

  def grantType(value: String): EntraError =
    EntraError(400, "unsupported_grant_type", 70003, s"The app requested an unsupported grant type '$value'.")

  def scope(value: String): EntraError = EntraError(
    400,
    "invalid_scope",
    1002012,
    s"The provided value for scope $value is not valid. Client credential flows must have a scope value with /.default " +
      "suffixed to the resource identifier (application ID URI)."
  )

  def unknownResource(resource: String, tenant: String): EntraError = EntraError(
    400,
    "invalid_resource",
    500011,
    s"The resource principal named $resource was not found in the tenant named $tenant. This can happen if the " +
      "application has not been installed by the administrator of the tenant or consented to by any user in the tenant."
  )

  def throttled: EntraError =
    EntraError(429, "temporarily_unavailable", 90055, "There are too many incoming requests for this tenant.")

  def unavailable(status: Int): EntraError = EntraError(
    status,
    if (status == 500) "server_error" else "temporarily_unavailable",
    90033,
    "A transient error has occurred. Please try again."
  )
}
