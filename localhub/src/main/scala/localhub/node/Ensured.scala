package localhub.node

import localhub.InvalidHubException

/** What became of the wish that a hub be there in a certain shape. */
sealed trait Ensured {
  def hub: EventHub

  /** The hub, or an exception when the wish was refused. */
  def orThrow(): EventHub = hub
}

object Ensured {
  final case class Created(hub: EventHub) extends Ensured

  /** It was there, with at least this shape. */
  final case class Unchanged(hub: EventHub) extends Ensured

  /** It was there, and got what it lacked: partitions, consumer groups, other settings. */
  final case class Changed(hub: EventHub) extends Ensured

  /** It was there, and the wish would take something away from it. */
  final case class Refused(hub: EventHub, reason: String) extends Ensured {
    override def orThrow(): EventHub = throw new InvalidHubException(reason)
  }
}
