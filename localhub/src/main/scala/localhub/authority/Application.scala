package localhub.authority

import java.nio.charset.StandardCharsets.UTF_8
import java.security.cert.X509Certificate
import java.time.Instant
import java.util.UUID

import localhub.auth.{Role, RoleAssignment}

/**
 * An application that signs in, or a managed identity.
 *
 * @param clientId          its id in sign-ins; GUIDs in Azure, any text here
 * @param certificates      whose keys may sign its client assertions
 * @param federatedSubjects `sub` of the federated tokens that sign it in, such as `system:serviceaccount:jobs:pipeline`
 * @param managedIdentity   None for an application
 */
final case class Application(
    name: String,
    clientId: String = UUID.randomUUID.toString,
    secrets: Seq[ClientSecret] = Nil,
    certificates: Seq[X509Certificate] = Nil,
    federatedSubjects: Seq[String] = Nil,
    managedIdentity: Option[ManagedIdentityKind] = None,
    roles: Seq[RoleAssignment] = Nil
) {

  /** The id of its service principal, which Azure's role assignments name. */
  val objectId: String = UUID.nameUUIDFromBytes(clientId.getBytes(UTF_8)).toString

  def withSecret(secret: String): Application = copy(secrets = secrets :+ ClientSecret(secret))
  def withCertificate(certificate: X509Certificate): Application = copy(certificates = certificates :+ certificate)
  def withFederatedSubject(subject: String): Application = copy(federatedSubjects = federatedSubjects :+ subject)
  def withRole(role: Role): Application = copy(roles = roles :+ RoleAssignment(role))
  def withRole(role: Role, hub: String): Application = copy(roles = roles :+ RoleAssignment(role, Some(hub)))
  def asSystemAssigned: Application = copy(managedIdentity = Some(ManagedIdentityKind.SystemAssigned))
  def asUserAssigned: Application = copy(managedIdentity = Some(ManagedIdentityKind.UserAssigned))
}

object Application {

  /** Creates an application in Java. */
  def named(name: String): Application = Application(name)
}

/** A secret of an application, which may expire. */
final case class ClientSecret(value: String, expiresAt: Option[Instant] = None) {
  override def toString: String = s"ClientSecret(***,$expiresAt)"
}

/** The two kinds of managed identities. A machine has at most one system-assigned identity. */
sealed abstract class ManagedIdentityKind(val name: String)

object ManagedIdentityKind {
  case object SystemAssigned extends ManagedIdentityKind("system")
  case object UserAssigned extends ManagedIdentityKind("user")

  val all: Seq[ManagedIdentityKind] = Seq(SystemAssigned, UserAssigned)
}
