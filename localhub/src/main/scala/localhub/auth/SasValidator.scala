package localhub.auth

import java.time.{Clock, Instant}

/**
 * Validates SAS tokens and keys against the namespace's policies. A policy with two keys, as the service's have, is two
 * entries with one name.
 */
private[localhub] final class SasValidator(policies: Seq[SharedAccessPolicy], clock: Clock) {

  /** @param host the server's name as the client wrote it; tokens may name it without a scheme */
  def authorize(token: String, audience: String, host: String): Either[AuthFailure, Grant] =
    for {
      sas <- SasToken.parse(token).toRight(AuthFailure.Malformed)
      named = policies.filter(_.name == sas.policyName)
      _ <- Either.cond(named.nonEmpty, (), AuthFailure.UnknownPolicy(sas.policyName))
      policy <- named.find(policy => sas.isSignedWith(policy.key)).toRight(AuthFailure.BadSignature(sas.policyName))
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
