package localhub.authority

import java.nio.charset.StandardCharsets.UTF_8
import java.security.MessageDigest
import java.security.cert.X509Certificate
import java.time.Duration

import localhub.auth.JsonWebToken

/** Checks how an application proves who it is: a secret, an assertion of its own key, or a federated token. */
private[authority] final class ClientAuthentication(tenant: Tenant) {
  import ClientAuthentication._

  /** @return the application, and `appidacr` of its tokens */
  def authenticate(tenantName: String, form: Map[String, String]): Either[EntraError, (Application, String)] =
    for {
      clientId <- form.get("client_id").toRight(EntraError.missing("client_id"))
      application <- tenant.find(clientId).filter(_.managedIdentity.isEmpty)
        .toRight(EntraError.unknownApplication(clientId, tenant.id))
      method <- (form.get("client_secret"), form.get("client_assertion")) match {
        case (Some(secret), _) => checkSecret(application, secret).map(_ => TokenIssuer.BySecret)
        case (None, Some(assertion)) =>
          checkAssertion(tenantName, application, assertion).map(_ => TokenIssuer.ByAssertion)
        case (None, None) => Left(EntraError.noCredential)
      }
    } yield application -> method

  private def checkSecret(application: Application, secret: String): Either[EntraError, Unit] =
    application.secrets.find(known => equal(known.value, secret)) match {
      case None => Left(EntraError.invalidSecret(application))
      case Some(known) if known.expiresAt.exists(!_.isAfter(tenant.now)) => Left(EntraError.expiredSecret(application))
      case Some(_) => Right(())
    }

  private def checkAssertion(name: String, application: Application, text: String): Either[EntraError, Unit] =
    JsonWebToken.parse(text).toRight(EntraError.malformedAssertion).flatMap { assertion =>
      if (assertion.headerText("kid").contains(tenant.clusterKey.id)) checkFederated(application, assertion)
      else if (hasThumbprint(assertion)) checkOwn(name, application, assertion)
      else Left(EntraError.federatedIssuer(assertion.text("iss").getOrElse("")))
    }

  private def hasThumbprint(assertion: JsonWebToken): Boolean =
    Thumbprints.exists(assertion.headerText(_).nonEmpty)

  private def checkOwn(name: String, application: Application, assertion: JsonWebToken): Either[EntraError, Unit] = {
    val thumbprint = Thumbprints.flatMap(assertion.headerText).map(urlSafe).headOption.getOrElse("")
    for {
      certificate <- application.certificates.find(known => thumbprints(known).contains(thumbprint))
        .toRight(EntraError.badAssertion(application, thumbprint))
      _ <- Either.cond(
        assertion.isSignedWith(certificate.getPublicKey),
        (),
        EntraError.badAssertionSignature(application)
      )
      _ <- Either.cond(
        Seq("iss", "sub").forall(assertion.text(_).contains(application.clientId)),
        (),
        EntraError.assertionSubject(application.clientId)
      )
      _ <- Either.cond(
        assertion.audiences.exists(isOwnAddress(_, name)),
        (),
        EntraError.assertionAudience(assertion.audiences.mkString(","))
      )
      _ <- checkTimes(assertion)
      _ <- Either.cond(
        certificate.getNotAfter.toInstant.isAfter(tenant.now),
        (),
        EntraError.assertionTime(s"The certificate expired at ${certificate.getNotAfter.toInstant}.")
      )
    } yield ()
  }

  private def isOwnAddress(audience: String, name: String): Boolean = {
    val root = s"${tenant.address}/$name"
    Seq(root, s"$root/v2.0", s"$root/oauth2/token", s"$root/oauth2/v2.0/token").contains(audience.stripSuffix("/"))
  }

  private def checkFederated(application: Application, assertion: JsonWebToken): Either[EntraError, Unit] = {
    val issuer = assertion.text("iss").getOrElse("")
    val subject = assertion.text("sub").getOrElse("")
    for {
      _ <- Either.cond(
        assertion.isSignedWith(tenant.clusterKey.publicKey),
        (),
        EntraError.badAssertionSignature(application)
      )
      _ <- Either.cond(issuer == tenant.clusterIssuer, (), EntraError.federatedIssuer(issuer))
      _ <- Either.cond(application.federatedSubjects.contains(subject), (), EntraError.federatedSubject(subject))
      _ <- Either.cond(
        assertion.audiences.contains(FederatedAudience),
        (),
        EntraError.federatedAudience(assertion.audiences.mkString(","))
      )
      _ <- checkTimes(assertion)
    } yield ()
  }

  private def checkTimes(assertion: JsonWebToken): Either[EntraError, Unit] = {
    val now = tenant.now
    def outside(what: String) = Left(EntraError.assertionTime(s"Current time: $now, $what."))
    (assertion.time("nbf"), assertion.time("exp")) match {
      case (_, None) => outside("the assertion has no expiry")
      case (Some(start), _) if start.isAfter(now.plus(Skew)) => outside(s"start of the assertion: $start")
      case (_, Some(end)) if !end.plus(Skew).isAfter(now) => outside(s"expiry of the assertion: $end")
      case _ => Right(())
    }
  }
}

private[authority] object ClientAuthentication {

  /** The audience that Microsoft Entra ID expects in federated tokens. */
  val FederatedAudience = "api://AzureADTokenExchange"

  private val Thumbprints = Seq("x5t#S256", "x5t")

  private val Skew = Duration.ofMinutes(5)

  /** SHA-256 and SHA-1 of a certificate, as assertions name it. */
  private def thumbprints(certificate: X509Certificate): Seq[String] =
    Seq("SHA-256", "SHA-1").map(hash =>
      JsonWebToken.encode(MessageDigest.getInstance(hash).digest(certificate.getEncoded))
    )

  /** Some libraries pad it, or use the other alphabet of Base64. */
  private def urlSafe(base64: String): String = base64.takeWhile(_ != '=').replace('+', '-').replace('/', '_')

  private def equal(known: String, presented: String): Boolean =
    MessageDigest.isEqual(known.getBytes(UTF_8), presented.getBytes(UTF_8))
}
