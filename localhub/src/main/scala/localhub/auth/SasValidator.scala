package localhub.auth

import java.time.{Clock, Instant}

/** Validates SAS tokens and keys against the namespace's policies. */
private[localhub] final class SasValidator(policies: Seq[SharedAccessPolicy], clock: Clock) {

  /** @param host the server's name as the client wrote it; tokens may name it without a scheme */
  def authorize(token: String, audience: String, host: String): Either[AuthFailure, Grant] =
    for {
      sas <- SasToken.parse(token).toRight(AuthFailure.Malformed)
      policy <- policies.find(_.name == sas.policyName).toRight(AuthFailure.UnknownPolicy(sas.policyName))
      _ <- Either.cond(sas.isSignedWith(policy.key), (), AuthFailure.BadSignature(policy.name))
      _ <- Either.cond(clock.instant().isBefore(sas.expiresAt), (), AuthFailure.Expired(sas.expiresAt))
      resource = ResourcePath.of(audience, host)
      allowed = sas.resource(host)
      _ <- Either.cond(allowed.covers(resource), (), AuthFailure.WrongResource(audience, allowed))
    } yield grant(policy, resource, sas.expiresAt)

  /** Checks a policy's name and key from SASL PLAIN. The grant covers the namespace while the connection lasts. */
  def authorizeKey(policyName: String, key: String): Option[Grant] =
    policies.find(policy => policy.name == policyName && policy.key == key)
      .map(policy => grant(policy, ResourcePath.Namespace, Instant.MAX))

  private def grant(policy: SharedAccessPolicy, resource: ResourcePath, until: Instant): Grant =
    Grant(resource, Seq(Permission(resource, policy.claims)), until)
}

private[localhub] object SasValidator {
  val TokenType = "servicebus.windows.net:sastoken"
}
