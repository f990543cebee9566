package localhub.namespace

import localhub.InvalidHubException

/** The result of [[Namespace.ensure]]. */
sealed trait EnsureResult {
  def hub: EventHub

  /** @throws InvalidHubException when the change was refused */
  def orThrow(): EventHub = hub
}

object EnsureResult {
  final case class Created(hub: EventHub) extends EnsureResult

  /** The hub already had everything. */
  final case class Unchanged(hub: EventHub) extends EnsureResult

  /** The hub existed and received the missing partitions, consumer groups or limits. */
  final case class Changed(hub: EventHub) extends EnsureResult

  /** The hub existed, and it cannot be changed so: fewer partitions, or geo-replication. */
  final case class Refused(hub: EventHub, reason: String) extends EnsureResult {
    override def orThrow(): EventHub = throw new InvalidHubException(reason)
  }
}
