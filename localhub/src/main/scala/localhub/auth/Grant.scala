package localhub.auth

import java.time.Instant

/** Claims on a resource and everything below it. */
private[localhub] final case class Permission(scope: ResourcePath, claims: Set[Claim])

/**
 * What an accepted token allows until it expires.
 *
 * @param resource    what the token was put for; it allows nothing outside of this
 * @param permissions of a shared access policy: its claims; of an application: the claims of its roles
 */
private[localhub] final case class Grant(resource: ResourcePath, permissions: Seq[Permission], expiresAt: Instant) {

  def allows(access: Access): Boolean = resource.covers(access.resource) && permissions.exists { permission =>
    permission.scope.covers(access.resource) &&
    (permission.claims(access.claim) || permission.claims(Claim.Manage))
  }

  /** Whether it allows something on this resource, or on a part of it. */
  def concerns(other: ResourcePath): Boolean = resource.covers(other) &&
    permissions.exists(permission => permission.scope.covers(other) || other.covers(permission.scope))
}
