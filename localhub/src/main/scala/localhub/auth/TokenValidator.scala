package localhub.auth

import java.time.Clock

/** Validates every kind of token: shared access signatures and bearer tokens. */
private[localhub] final class TokenValidator(policies: Seq[SharedAccessPolicy], clock: Clock) {

  private val sas = new SasValidator(policies, clock)

  val bearer = new BearerValidator(clock)

  /** @param host the server's name as the client wrote it; tokens may name it without a scheme */
  def authorize(tokenType: String, token: String, audience: String, host: String): Either[AuthFailure, Grant] =
    tokenType match {
      case SasValidator.TokenType => sas.authorize(token, audience, host)
      case BearerValidator.TokenType => bearer.authorize(token, audience, host)
      case other => Left(AuthFailure.UnsupportedType(other))
    }

  /** A token whose type the client does not say, as in a management request. */
  def authorizeAny(token: String, audience: String, host: String): Either[AuthFailure, Grant] =
    if (JsonWebToken.isOne(token)) bearer.authorize(token, audience, host) else sas.authorize(token, audience, host)

  /** Checks a policy's name and key from SASL PLAIN. */
  def authorizeKey(policyName: String, key: String): Option[Grant] = sas.authorizeKey(policyName, key)
}
