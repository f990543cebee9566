package localhub.authority

import java.security.PublicKey
import java.time.{Clock, Duration, Instant}
import java.util.concurrent.ConcurrentSkipListMap

import scala.jdk.CollectionConverters._

import localhub.auth.{BearerAuthority, RoleAssignment}

/**
 * The tenant's applications, keys and clock.
 *
 * @param url of the authority, without a trailing slash
 */
private[localhub] final class Tenant(val id: String, url: => String, clock: Clock, lifetime: Duration)
    extends BearerAuthority {

  private val registered = new ConcurrentSkipListMap[String, Application](String.CASE_INSENSITIVE_ORDER)

  private[authority] val key = new SigningKey

  /** Signs federated tokens, as the issuer of a Kubernetes cluster does. */
  private[authority] val clusterKey = new SigningKey

  @volatile var tokenLifetime: Duration = lifetime

  /** How far this clock is ahead of the machine's. */
  @volatile var clockOffset: Duration = Duration.ZERO

  def now: Instant = clock.instant().plus(clockOffset)

  def address: String = url

  def hasName(name: String): Boolean = name.equalsIgnoreCase(id) || name == Tenant.Adfs

  /** The issuer of access tokens. */
  def issuer: String = s"$url/$id/"

  def clusterIssuer: String = s"$url/cluster"

  def put(application: Application): Unit = {
    val system = ManagedIdentityKind.SystemAssigned
    val other = applications.find(each =>
      each.managedIdentity.contains(system) && !each.clientId.equalsIgnoreCase(application.clientId)
    )
    require(
      !application.managedIdentity.contains(system) || other.isEmpty,
      s"'${other.fold("")(_.name)}' is the system-assigned identity already; there can be one only"
    )
    registered.put(application.clientId, application)
    ()
  }

  def remove(clientId: String): Boolean = Option(registered.remove(clientId)).nonEmpty

  def find(clientId: String): Option[Application] = Option(registered.get(clientId))

  def applications: Seq[Application] = registered.values.asScala.toSeq

  override def issuers: Set[String] = Set(issuer, s"$url/$id/v2.0")

  override def key(id: String): Option[PublicKey] = Option.when(id == key.id)(key.publicKey)

  override def roles(objectId: String): Seq[RoleAssignment] =
    applications.find(_.objectId == objectId).fold(Seq.empty[RoleAssignment])(_.roles)
}

private[localhub] object Tenant {

  /** The tenant for which Microsoft's libraries do not ask the public login host about the authority first. */
  val Adfs = "adfs"
}
