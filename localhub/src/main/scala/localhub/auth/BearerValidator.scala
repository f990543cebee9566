package localhub.auth

import java.security.PublicKey
import java.time.{Clock, Duration, Instant}
import java.util.concurrent.atomic.AtomicReference

/** What the hub must know of an authority to accept its tokens. */
private[localhub] trait BearerAuthority {

  /** The values of `iss` in its tokens. */
  def issuers: Set[String]

  /** The key with this id, if it signs tokens with it. */
  def key(id: String): Option[PublicKey]

  /** Roles of the application with this `oid`. A change applies to the next token that is put. */
  def roles(objectId: String): Seq[RoleAssignment]
}

/** Validates bearer tokens of the one authority that is in use. Without an authority it refuses all. */
private[localhub] final class BearerValidator(clock: Clock) {
  import BearerValidator._

  private val current = new AtomicReference(Option.empty[BearerAuthority])

  /** The authority whose tokens are accepted from now on. */
  def use(authority: Option[BearerAuthority]): Unit = current.set(authority)

  /** @param host the server's name as the client wrote it */
  def authorize(token: String, resource: String, host: String): Either[AuthFailure, Grant] =
    for {
      authority <- current.get.toRight(AuthFailure.NoAuthority)
      jwt <- JsonWebToken.parse(token).toRight(AuthFailure.MalformedBearer)
      _ <- Either.cond(isSigned(jwt, authority), (), AuthFailure.BadBearerSignature)
      issuer = jwt.text("iss").getOrElse("")
      _ <- Either.cond(authority.issuers(issuer), (), AuthFailure.WrongIssuer(issuer))
      _ <- Either.cond(jwt.audiences.exists(isOurs(_, host)), (), AuthFailure.WrongAudience(jwt.audiences))
      expiry <- validUntil(jwt, clock.instant())
    } yield {
      val permissions = jwt.text("oid").toSeq.flatMap(authority.roles).map(_.permission)
      Grant(ResourcePath.of(resource, host), permissions, expiry)
    }

  private def isSigned(jwt: JsonWebToken, authority: BearerAuthority): Boolean =
    jwt.headerText("kid").flatMap(authority.key).exists(jwt.isSignedWith)

  private def validUntil(jwt: JsonWebToken, now: Instant): Either[AuthFailure, Instant] = {
    val from = jwt.time("nbf").getOrElse(Instant.EPOCH)
    val until = jwt.time("exp").getOrElse(Instant.EPOCH)
    if (from.isAfter(now.plus(ClockSkew))) Left(AuthFailure.NotYetValid(from))
    else if (!now.isBefore(until)) Left(AuthFailure.Expired(until))
    else Right(until)
  }

  private def isOurs(audience: String, host: String): Boolean = {
    val name = audience.stripSuffix("/")
    name == Audience || name == OlderAudience || hostOf(name).exists(isHost(_, host))
  }

  private def hostOf(audience: String): Option[String] =
    Option.when(audience.startsWith("https://"))(audience.stripPrefix("https://"))

  private def isHost(name: String, host: String): Boolean = {
    val bare = name.takeWhile(_ != ':')
    bare.nonEmpty && (bare.equalsIgnoreCase(host.takeWhile(_ != ':')) || bare.equalsIgnoreCase("localhost"))
  }
}

private[localhub] object BearerValidator {
  val TokenType = "jwt"

  /** The resource that every SDK names. */
  val Audience = "https://eventhubs.azure.net"

  /** The service takes tokens for Service Bus too. */
  private val OlderAudience = "https://servicebus.azure.net"

  /** How far the clock of the authority may be ahead. */
  val ClockSkew: Duration = Duration.ofMinutes(5)
}
