package localhub.authority

import java.time.Duration
import java.util.UUID

import localhub.amqp.layer.TlsIdentity

/**
 * A stand-in for Microsoft Entra ID on this machine: applications and managed identities get real, signed tokens from
 * it, without Azure. A hub accepts the tokens of the authority that its `startAuthority` started.
 * {{{
 * val authority = hub.startAuthority(LocalAuthorityConfig())
 * authority.register(Application("pipeline").withSecret("a-secret").withRole(Role.DataReceiver, "telemetry"))
 * }}}
 */
final class LocalAuthority private (config: LocalAuthorityConfig, identity: TlsIdentity) extends AutoCloseable {

  private[localhub] val tenant = new Tenant(config.tenantId, url, config.clock, config.tokenLifetime)
  private[localhub] val recorded = new AuthorityRequests
  private val issuer = new TokenIssuer(tenant)

  /** Slow, throttled and failing answers. */
  val faults = new AuthorityFaults

  /** What App Service gives its programs as `IDENTITY_HEADER`. */
  val identityHeader: String = UUID.randomUUID.toString

  private val secure = server(
    config.port,
    Some(identity),
    AuthorityRequestKind.Token -> new TokenEndpoint(tenant, issuer).answer,
    AuthorityRequestKind.Discovery -> new Discovery(tenant).answer
  )
  private val plain =
    try server(
        0,
        None,
        AuthorityRequestKind.ManagedIdentity -> new ManagedIdentityEndpoint(tenant, issuer, identityHeader).answer
      )
    catch {
      case failure: Exception =>
        secure.close()
        throw failure
    }

  config.applications.foreach(register)

  /** The address for `AZURE_AUTHORITY_HOST`, without a trailing slash. */
  def url: String = s"https://${LocalAuthority.nameOf(config.host)}:${secure.port}"

  def tenantId: String = config.tenantId

  /** The address for `AZURE_POD_IDENTITY_AUTHORITY_HOST`, over plain http as in Azure. */
  def identityUrl: String = s"http://${LocalAuthority.nameOf(config.host)}:${plain.port}"

  /** The address for `IDENTITY_ENDPOINT`. */
  def identityEndpoint: String = s"$identityUrl/${ManagedIdentityEndpoint.AppServicePath.mkString("/")}"

  /** The certificate authority that clients must trust. */
  def certificatePem: String = identity.certificatePem

  private[localhub] def certificate = identity.certificate

  /** Adds an application, or replaces the one with the same client id. */
  def register(application: Application): Application = {
    tenant.put(application)
    application
  }

  /** False when there is none with this id. */
  def remove(clientId: String): Boolean = tenant.remove(clientId)

  def find(clientId: String): Option[Application] = tenant.find(clientId)

  def applications: Seq[Application] = tenant.applications

  /** Lifetime of the tokens that are issued from now on. */
  def setTokenLifetime(lifetime: Duration): Unit = {
    require(!lifetime.isNegative && !lifetime.isZero, s"the lifetime is $lifetime; expected more than 0")
    tenant.tokenLifetime = lifetime
  }

  /** How far the clock of the authority is ahead of the machine's; negative: behind. */
  def setClockOffset(offset: Duration): Unit = tenant.clockOffset = offset

  /**
   * A token as the application gets it, with other facts if the hub is to refuse it.
   *
   * @param lifetime None: as every token; negative: it has expired
   * @param issuer   None: this authority
   */
  def token(
      application: Application,
      audience: String = LocalAuthority.EventHubs,
      lifetime: Option[Duration] = None,
      issuer: Option[String] = None
  ): String = this.issuer.issue(
    application,
    audience,
    TokenIssuer.BySecret,
    lifetime.getOrElse(tenant.tokenLifetime),
    issuer.getOrElse(tenant.issuer)
  ).text

  /**
   * The token of a cluster's service account, for the file that `AZURE_FEDERATED_TOKEN_FILE` names.
   *
   * @param issuer None: the cluster whose tokens this authority trusts
   */
  def federatedToken(
      subject: String,
      audience: String = ClientAuthentication.FederatedAudience,
      lifetime: Duration = Duration.ofHours(1),
      issuer: Option[String] = None
  ): String = this.issuer.issueFederated(subject, audience, lifetime, issuer.getOrElse(tenant.clusterIssuer)).text

  /** The latest requests, oldest first; at most 1000. */
  def requests: Seq[AuthorityRequest] = recorded.all

  override def close(): Unit = {
    secure.close()
    plain.close()
  }

  private def server(
      port: Int,
      tls: Option[TlsIdentity],
      kinds: (AuthorityRequestKind, PartialFunction[Call, Answer])*
  ): AuthorityServer =
    new AuthorityServer(config.host, port, tls.map(_.context), kinds, faults, recorded, config.clock)
}

object LocalAuthority {

  /** The audience of tokens for Event Hubs. */
  val EventHubs = "https://eventhubs.azure.net"

  /** @throws java.io.IOException when the port is in use */
  def start(config: LocalAuthorityConfig): LocalAuthority = start(config, newIdentity(config.host))

  private[localhub] def start(config: LocalAuthorityConfig, identity: TlsIdentity): LocalAuthority =
    new LocalAuthority(config, identity)

  private[localhub] def newIdentity(host: String): TlsIdentity = TlsIdentity.signed(Seq("localhost", host).distinct)

  private def nameOf(host: String): String = host match {
    case "127.0.0.1" | "0.0.0.0" | "::1" | "::" => "localhost"
    case other => other
  }
}
