package localhub.authority

import java.security.cert.CertificateException
import java.time.format.DateTimeParseException
import java.time.{Instant, OffsetDateTime}

import localhub.amqp.layer.Pem
import localhub.auth.{Role, RoleAssignment}

/** Applications as JSON. A mistake is an IllegalArgumentException that says what was expected. */
private[localhub] object ApplicationJson {

  private val Fields =
    Seq("name", "clientId", "secrets", "certificates", "federatedSubjects", "managedIdentity", "roles")

  /** The JSON has the secrets of the application: they are made up for tests. */
  def apply(application: Application): ujson.Obj = ujson.Obj(
    "name" -> application.name,
    "clientId" -> application.clientId,
    "objectId" -> application.objectId,
    "secrets" -> ujson.Arr.from(application.secrets.map(secret)),
    "certificates" -> ujson.Arr.from(application.certificates.map(Pem.of(_))),
    "federatedSubjects" -> ujson.Arr.from(application.federatedSubjects),
    "managedIdentity" -> application.managedIdentity.fold[ujson.Value](ujson.Null)(kind => ujson.Str(kind.name)),
    "roles" -> ujson.Arr.from(application.roles.map(role))
  )

  /** A new application, or `known` with the fields that the JSON has. */
  def parse(json: ujson.Value, clientId: Option[String], known: Option[Application]): Application = {
    val fields = json.objOpt.getOrElse(wrong("an application is a JSON object")).toMap
    fields.keys.find(!Fields.contains(_)).foreach { unknown =>
      wrong(s"'$unknown' is not a field of an application; expected one of ${Fields.mkString(", ")}")
    }
    val id = clientId.orElse(fields.get("clientId").map(text("clientId", _)))
    val base = known.getOrElse {
      val name = fields.get("name").map(text("name", _)).orElse(id).getOrElse(wrong("an application needs a name"))
      id.fold(Application(name))(given => Application(name, given))
    }
    def list[A](name: String, old: Seq[A])(read: ujson.Value => A): Seq[A] =
      fields.get(name).fold(old)(_.arrOpt.getOrElse(wrong(s"'$name' is a list")).map(read).toSeq)
    base.copy(
      name = fields.get("name").fold(base.name)(text("name", _)),
      secrets = list("secrets", base.secrets)(readSecret),
      certificates = list("certificates", base.certificates)(readCertificate),
      federatedSubjects = list("federatedSubjects", base.federatedSubjects)(text("federatedSubjects", _)),
      managedIdentity = fields.get("managedIdentity").fold(base.managedIdentity)(readKind),
      roles = list("roles", base.roles)(readRole)
    )
  }

  private def secret(secret: ClientSecret): ujson.Obj = ujson.Obj(
    "value" -> secret.value,
    "expiresAt" -> secret.expiresAt.fold[ujson.Value](ujson.Null)(time => ujson.Str(time.toString))
  )

  private def role(assignment: RoleAssignment): ujson.Obj = ujson.Obj(
    "role" -> assignment.role.name,
    "hub" -> assignment.hub.fold[ujson.Value](ujson.Null)(ujson.Str(_)),
    "consumerGroup" -> assignment.consumerGroup.fold[ujson.Value](ujson.Null)(ujson.Str(_))
  )

  private def readSecret(json: ujson.Value): ClientSecret = json match {
    case ujson.Str(value) => ClientSecret(value)
    case other =>
      val fields = other.objOpt.getOrElse(wrong("a secret is a text, or an object with 'value' and 'expiresAt'"))
      val value = fields.get("value").map(text("value", _)).getOrElse(wrong("a secret needs a 'value'"))
      ClientSecret(value, fields.get("expiresAt").filterNot(_.isNull).map(json => time(text("expiresAt", json))))
  }

  private def readCertificate(json: ujson.Value): java.security.cert.X509Certificate =
    try Pem.certificate(text("certificates", json))
    catch { case _: CertificateException => wrong("a certificate is PEM text, '-----BEGIN CERTIFICATE-----...'") }

  private def readKind(json: ujson.Value): Option[ManagedIdentityKind] = Option.unless(json.isNull) {
    val name = text("managedIdentity", json)
    ManagedIdentityKind.all.find(_.name == name)
      .getOrElse(wrong(s"managedIdentity is '$name'; expected 'system' or 'user'"))
  }

  private def readRole(json: ujson.Value): RoleAssignment = {
    val fields = json match {
      case text: ujson.Str => Map[String, ujson.Value]("role" -> text)
      case other =>
        other.objOpt.getOrElse(wrong("a role is a text, or an object with 'role', 'hub', 'consumerGroup'")).toMap
    }
    def optional(name: String) = fields.get(name).filterNot(_.isNull).map(text(name, _))
    val name = optional("role").getOrElse(wrong("a role needs 'role'"))
    val role = Role.named(name)
      .getOrElse(wrong(s"'$name' is not a role of Event Hubs; expected one of ${Role.all.map(_.name).mkString(", ")}"))
    RoleAssignment(role, optional("hub"), optional("consumerGroup"))
  }

  private def time(text: String): Instant =
    try OffsetDateTime.parse(text).toInstant
    catch {
      case _: DateTimeParseException => wrong(s"expiresAt is '$text'; expected a time such as 2026-11-25T17:00:00Z")
    }

  private def text(name: String, json: ujson.Value): String = json.strOpt.getOrElse(wrong(s"'$name' is a text"))

  private def wrong(reason: String): Nothing = throw new IllegalArgumentException(s"$reason.")
}
