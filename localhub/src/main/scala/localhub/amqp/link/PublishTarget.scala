package localhub.amqp.link

import localhub.amqp.fault.FaultScope
import localhub.log.PartitionLog
import localhub.namespace.EventHub

/** The target of a producer's link. */
private[amqp] sealed trait PublishTarget { def hub: EventHub }

private[amqp] object PublishTarget {

  /** Each delivery goes to the partition of its key, or to the next partition round-robin. */
  final case class AnyPartition(hub: EventHub) extends PublishTarget
  final case class OnePartition(hub: EventHub, id: String, log: PartitionLog) extends PublishTarget

  /** Events of a named publisher go to one partition; the publisher's name is their partition key. */
  final case class OnePublisher(hub: EventHub, publisher: String) extends PublishTarget

  def scope(target: PublishTarget): FaultScope = target match {
    case AnyPartition(_) | OnePublisher(_, _) => FaultScope(hub = Some(target.hub.name))
    case OnePartition(hub, id, _) => FaultScope(hub = Some(hub.name), partition = Some(id))
  }
}
