package localhub.auth

import java.time.{Clock, Instant}

/** What a valid token allows: its policy's claims on one resource and everything below, until it expires. */
private[localhub] final case class Grant(resource: ResourcePath, claims: Set[Claim], expiresAt: Instant)

/** Why a token was refused. */
private[localhub] sealed abstract class AuthFailure(val description: String)

private[localhub] object AuthFailure {
  case object Malformed
      extends AuthFailure(
        "MalformedToken: The token is not a shared access signature; expected 'SharedAccessSignature sr=...&sig=...&se=...&skn=...'."
      )
  final case class UnsupportedType(tokenType: String)
      extends AuthFailure(
        s"UnsupportedTokenType: '$tokenType' is not a token type of the local hub; expected '${SasValidator.TokenType}'."
      )
  final case class UnknownPolicy(name: String)
      extends AuthFailure(s"InvalidSignature: There is no shared access policy '$name'; check SharedAccessKeyName.")
  final case class BadSignature(policy: String)
      extends AuthFailure(
        s"InvalidSignature: The token has an invalid signature: it was not made with the key of policy '$policy'; check SharedAccessKey."
      )
  final case class Expired(at: Instant)
      extends AuthFailure(
        s"ExpiredToken: The token is expired. Expiration time: '${at.toString.replace('T', ' ')}'"
      )
  final case class WrongResource(
      audience: String,
      resource: ResourcePath
  ) extends AuthFailure(s"InvalidAudience: The token is for '/${resource.value}', which does not include '$audience'.")
}

/** Validates SAS tokens and keys against the namespace's policies. */
private[localhub] final class SasValidator(policies: Seq[SharedAccessPolicy], clock: Clock) {

  /** @param host the server's name as the client wrote it; tokens may name it without a scheme */
  def authorize(tokenType: String, token: String, audience: String, host: String): Either[AuthFailure, Grant] =
    if (tokenType != SasValidator.TokenType) Left(AuthFailure.UnsupportedType(tokenType))
    else
      for {
        sas <- SasToken.parse(token).toRight(AuthFailure.Malformed)
        policy <- policies.find(_.name == sas.policyName).toRight(AuthFailure.UnknownPolicy(sas.policyName))
        _ <- Either.cond(sas.isSignedWith(policy.key), (), AuthFailure.BadSignature(policy.name))
        _ <- Either.cond(clock.instant().isBefore(sas.expiresAt), (), AuthFailure.Expired(sas.expiresAt))
        resource = ResourcePath.of(audience, host)
        allowed = sas.resource(host)
        _ <- Either.cond(allowed.covers(resource), (), AuthFailure.WrongResource(audience, allowed))
      } yield Grant(resource, policy.claims, sas.expiresAt)

  /** Checks a policy's name and key from SASL PLAIN. The grant covers the namespace while the connection lasts. */
  def authorizeKey(policyName: String, key: String): Option[Grant] =
    policies.find(policy => policy.name == policyName && policy.key == key)
      .map(policy => Grant(ResourcePath.Namespace, policy.claims, Instant.MAX))
}

private[localhub] object SasValidator {
  val TokenType = "servicebus.windows.net:sastoken"
}
