package localhub.auth

import java.time.Instant

/** Why a token was refused. */
private[localhub] sealed abstract class AuthFailure(val description: String)

private[localhub] object AuthFailure {
  case object Malformed
      extends AuthFailure(
        "MalformedToken: The token is not a shared access signature; expected 'SharedAccessSignature sr=...&sig=...&se=...&skn=...'."
      )
  final case class UnsupportedType(tokenType: String)
      extends AuthFailure(
        s"UnsupportedTokenType: '$tokenType' is not a token type of the local hub; expected '${SasValidator.TokenType}' or '${BearerValidator.TokenType}'."
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

  case object NoAuthority
      extends AuthFailure(
        "InvalidIssuer: Token issuer is invalid. This local hub has no authority: start one with --authority-port, or with LocalAuthority(hub)."
      )
  case object MalformedBearer
      extends AuthFailure(
        "MalformedToken: The token is not a signed JSON Web Token; expected 'header.claims.signature'."
      )
  case object BadBearerSignature
      extends AuthFailure("InvalidSignature: The token has an invalid signature: it has none of the authority's keys.")
  final case class WrongIssuer(issuer: String)
      extends AuthFailure(s"InvalidIssuer: Token issuer is invalid. It is '$issuer', not the hub's authority.")
  final case class WrongAudience(audiences: Seq[String])
      extends AuthFailure(
        s"InvalidAudience: Invalid authorization token audience. It is '${audiences.mkString("', '")}'; expected '${BearerValidator.Audience}'."
      )
  final case class NotYetValid(from: Instant)
      extends AuthFailure(
        s"InvalidToken: The token is not valid yet. Valid from: '${from.toString.replace('T', ' ')}'; compare the clocks."
      )
}
