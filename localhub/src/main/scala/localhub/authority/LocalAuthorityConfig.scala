package localhub.authority

import java.time.{Clock, Duration}

/**
 * Settings of a [[LocalAuthority]].
 *
 * @param port          for https, 0 = any free port
 * @param host          the address to listen on
 * @param tenantId      the one tenant that it has; the tenant `adfs` is the same one
 * @param tokenLifetime of access tokens
 * @param clock         for the times in tokens
 * @param applications  applications and managed identities that exist from the start
 */
final case class LocalAuthorityConfig(
    port: Int = 0,
    host: String = "127.0.0.1",
    tenantId: String = LocalAuthorityConfig.DefaultTenant,
    tokenLifetime: Duration = Duration.ofHours(1),
    clock: Clock = Clock.systemUTC(),
    applications: Seq[Application] = Nil
) {
  require(!tokenLifetime.isNegative && !tokenLifetime.isZero, s"tokenLifetime is $tokenLifetime; expected more than 0")

  def withPort(number: Int): LocalAuthorityConfig = copy(port = number)
  def withTenantId(id: String): LocalAuthorityConfig = copy(tenantId = id)
  def withTokenLifetime(time: Duration): LocalAuthorityConfig = copy(tokenLifetime = time)
  def withApplication(application: Application): LocalAuthorityConfig =
    copy(applications = applications :+ application)
}

object LocalAuthorityConfig {
  val DefaultTenant = "10ca1000-0000-4000-8000-000000000001"

  /** The authority listens on a free port of loopback, and has no applications. */
  def defaults(): LocalAuthorityConfig = LocalAuthorityConfig()
}
