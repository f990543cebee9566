package localhub.amqp.fault

import localhub.namespace.{EventHub, Namespace}

/** Faults of hubs instead of links: expire events, recreate a hub. */
private[amqp] final class HubFaults(namespace: Namespace) {

  /** Applies a fault to each hub or partition that `decide` selects, connected or not. */
  def applyNow(action: FaultAction, decide: FaultScope => Boolean): Unit = action match {
    case FaultAction.RecreateHub =>
      namespace.all.map(_.name).filter(name => decide(FaultScope(hub = Some(name)))).foreach(namespace.recreate)
    case FaultAction.ExpireEvents =>
      for {
        hub <- namespace.all
        id <- hub.partitions.indices.map(_.toString)
        if decide(FaultScope(hub = Some(hub.name), partition = Some(id)))
      } expire(hub, id)
    case _ => ()
  }

  /** Applies a fault to the hub or partitions of a link; false when it is not a fault of hubs. */
  def applyAt(action: FaultAction, scope: FaultScope): Boolean = action match {
    case FaultAction.RecreateHub => scope.hub.foreach(namespace.recreate); true
    case FaultAction.ExpireEvents =>
      scope.hub.flatMap(namespace.find).foreach { hub =>
        scope.partition.map(Seq(_)).getOrElse(hub.partitions.indices.map(_.toString)).foreach(expire(hub, _))
      }
      true
    case _ => false
  }

  private def expire(hub: EventHub, partition: String): Unit =
    hub.partition(partition).foreach(log => log.trimBefore(log.bounds.lastSequenceNumber + 1))
}
