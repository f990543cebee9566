package localhub.amqp.link

import java.time.Instant

import localhub.auth.{Claim, Grant, ResourcePath}

/** What the tokens put on one connection allow. A newer token for a resource replaces the older one. */
private[amqp] final class ConnectionGrants {

  private var grants = Map.empty[ResourcePath, Grant]
  private var nextExpiry = Instant.MAX

  def add(grant: Grant): Unit = {
    grants += grant.resource -> grant
    nextExpiry = grants.values.map(_.expiresAt).min
  }

  def allow(access: Access, now: Instant): Boolean =
    covering(access.resource, now).exists(grant => grant.claims(access.claim) || grant.claims(Claim.Manage))

  /** Whether any valid token covers the resource, whatever it allows. */
  def know(resource: ResourcePath, now: Instant): Boolean = covering(resource, now).nonEmpty

  /** When the token expired that last allowed this. */
  def expiryOf(access: Access): Option[Instant] =
    grants.values.filter(_.resource.covers(access.resource)).map(_.expiresAt).maxOption

  /** Whether a token has expired, so that links may have lost what they need. */
  def anyExpired(now: Instant): Boolean = !now.isBefore(nextExpiry)

  /** Makes all tokens expire now. */
  def expire(now: Instant): Unit = grants.values.foreach(grant => add(grant.copy(expiresAt = now)))

  private def covering(resource: ResourcePath, now: Instant): Iterable[Grant] =
    grants.values.filter(grant => grant.resource.covers(resource) && now.isBefore(grant.expiresAt))
}
