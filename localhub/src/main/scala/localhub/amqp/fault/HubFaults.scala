package localhub.amqp.fault

import localhub.node.{EventHub, Namespace}

/** What faults do to hubs rather than to links: their events expire, or they are recreated. */
private[amqp] final class HubFaults(namespace: Namespace) {

  /** Strikes each hub or partition of the namespace in scope, whether anybody is connected to it or not. */
  def strikeNow(action: FaultAction, decide: FaultScope => Boolean): Unit = action match {
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

  /** Strikes what a link at this place leads to; false when this is no fault of hubs. */
  def strike(action: FaultAction, place: FaultScope): Boolean = action match {
    case FaultAction.RecreateHub => place.hub.foreach(namespace.recreate); true
    case FaultAction.ExpireEvents =>
      place.hub.flatMap(namespace.find).foreach { hub =>
        place.partition.map(Seq(_)).getOrElse(hub.partitions.indices.map(_.toString)).foreach(expire(hub, _))
      }
      true
    case _ => false
  }

  private def expire(hub: EventHub, partition: String): Unit =
    hub.partition(partition).foreach(log => log.trimBefore(log.bounds.lastSequenceNumber + 1))
}
