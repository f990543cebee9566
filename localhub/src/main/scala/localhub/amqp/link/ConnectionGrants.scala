package localhub.amqp.link

import java.time.Instant

import localhub.auth.{Claim, Grant, ResourcePath}

/** What the tokens put on one connection allow. A newer token for a resource replaces the older one. */
private[amqp] final class ConnectionGrants {

  private var grants = Map.empty[ResourcePath, Grant]

  def add(grant: Grant): Unit = grants += grant.resource -> grant

  def allow(claim: Claim, resource: ResourcePath, now: Instant): Boolean =
    covering(resource, now).exists(grant => grant.claims(claim) || grant.claims(Claim.Manage))

  /** Whether any valid token covers the resource, whatever it allows. */
  def know(resource: ResourcePath, now: Instant): Boolean = covering(resource, now).nonEmpty

  private def covering(resource: ResourcePath, now: Instant): Iterable[Grant] =
    grants.values.filter(grant => grant.resource.covers(resource) && now.isBefore(grant.expiresAt))
}
