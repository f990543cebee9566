package localhub.amqp.link

import java.time.Instant

import localhub.auth.{Access, Grant, ResourcePath}

/** What the tokens of one connection allow. A newer token for a resource replaces the older one. */
private[amqp] final class ConnectionGrants {

  private var grants = Map.empty[ResourcePath, Grant]
  private var nextExpiry = Instant.MAX

  def add(grant: Grant): Unit = {
    grants += grant.resource -> grant
    nextExpiry = grants.values.map(_.expiresAt).min
  }

  def allows(access: Access, now: Instant): Boolean =
    grants.values.exists(grant => now.isBefore(grant.expiresAt) && grant.allows(access))

  /** Whether a valid token allows something on the resource, or on a part of it. */
  def hasTokenFor(resource: ResourcePath, now: Instant): Boolean =
    grants.values.exists(grant => now.isBefore(grant.expiresAt) && grant.concerns(resource))

  /** Whether a token has expired, so that a link may have lost its permission. */
  def anyExpired(now: Instant): Boolean = !now.isBefore(nextExpiry)

  /** Lets all tokens expire at `at`. */
  def expire(at: Instant): Unit = grants.values.foreach(grant => add(grant.copy(expiresAt = at)))
}
