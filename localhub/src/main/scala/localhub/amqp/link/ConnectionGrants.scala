package localhub.amqp.link

import java.time.Instant

import localhub.auth.{Access, Claim, Grant, ResourcePath}

/** What the tokens of one connection allow. A newer token for a resource replaces the older one. */
private[amqp] final class ConnectionGrants {

  private var grants = Map.empty[ResourcePath, Grant]
  private var nextExpiry = Instant.MAX

  def add(grant: Grant): Unit = {
    grants += grant.resource -> grant
    nextExpiry = grants.values.map(_.expiresAt).min
  }

  def allows(access: Access, now: Instant): Boolean =
    covering(access.resource, now).exists(grant => grant.claims(access.claim) || grant.claims(Claim.Manage))

  /** Whether any valid token covers the resource, with any claim. */
  def hasTokenFor(resource: ResourcePath, now: Instant): Boolean = covering(resource, now).nonEmpty

  /** Whether a token has expired, so that a link may have lost its permission. */
  def anyExpired(now: Instant): Boolean = !now.isBefore(nextExpiry)

  /** Lets all tokens expire at `at`. */
  def expire(at: Instant): Unit = grants.values.foreach(grant => add(grant.copy(expiresAt = at)))

  private def covering(resource: ResourcePath, now: Instant): Iterable[Grant] =
    grants.values.filter(grant => grant.resource.covers(resource) && now.isBefore(grant.expiresAt))
}
