package localhub.authority

import java.nio.charset.StandardCharsets.UTF_8
import java.time.{Duration, Instant}
import java.util.UUID

/** An issued token, and when it expires. */
private[authority] final case class IssuedToken(text: String, expiresAt: Instant, lifetime: Duration)

/** Issues signed tokens with the claims of Microsoft Entra ID's version 1, which Event Hubs gets. */
private[authority] final class TokenIssuer(tenant: Tenant) {

  /**
   * @param method   `appidacr`: 1 for a secret, 2 for a certificate or a federated token
   * @param lifetime may be negative, for an expired token
   * @param issuer   another `iss` than the tenant's
   */
  def issue(
      application: Application,
      audience: String,
      method: String,
      lifetime: Duration = tenant.tokenLifetime,
      issuer: String = tenant.issuer
  ): IssuedToken = {
    val now = tenant.now
    val end = now.plus(lifetime)
    val start = if (lifetime.isNegative) end.minus(TokenIssuer.Earlier) else now
    val claims = ujson.Obj(
      "aud" -> audience,
      "iss" -> issuer,
      "iat" -> seconds(start),
      "nbf" -> seconds(start),
      "exp" -> seconds(end),
      "appid" -> application.clientId,
      "appidacr" -> method,
      "idp" -> tenant.issuer,
      "idtyp" -> "app",
      "oid" -> application.objectId,
      "sub" -> application.objectId,
      "tid" -> tenant.id,
      "uti" -> UUID.randomUUID.toString,
      "ver" -> "1.0"
    )
    application.managedIdentity.foreach { _ =>
      claims("xms_mirid") = s"/local/Microsoft.ManagedIdentity/userAssignedIdentities/${application.name}"
    }
    IssuedToken(tenant.key.sign(claims), end, lifetime)
  }

  /** A token of a cluster's service account, which signs in an application with this federated subject. */
  def issueFederated(subject: String, audience: String, lifetime: Duration, issuer: String): IssuedToken = {
    val now = tenant.now
    val end = now.plus(lifetime)
    val claims = ujson.Obj(
      "aud" -> ujson.Arr(audience),
      "iss" -> issuer,
      "sub" -> subject,
      "iat" -> seconds(now.minus(TokenIssuer.Earlier)),
      "nbf" -> seconds(now.minus(TokenIssuer.Earlier)),
      "exp" -> seconds(end),
      "jti" -> UUID.nameUUIDFromBytes(s"$subject$now".getBytes(UTF_8)).toString
    )
    IssuedToken(tenant.clusterKey.sign(claims), end, lifetime)
  }

  private def seconds(time: Instant): ujson.Num = ujson.Num(time.getEpochSecond.toDouble)
}

private[authority] object TokenIssuer {
  val BySecret = "1"
  val ByAssertion = "2"

  private val Earlier = Duration.ofMinutes(5)
}
