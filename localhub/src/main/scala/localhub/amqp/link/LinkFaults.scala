package localhub.amqp.link

import org.apache.qpid.proton.engine.Link

import localhub.amqp.AmqpFailure
import localhub.amqp.fault.{FaultAction, FaultHit, FaultScope, FaultTarget, Occasion}

/** What faults do to one link. Registered as a target as long as the link is open. */
private[amqp] final class LinkFaults(
    host: LinkHost,
    link: Link,
    val place: FaultScope,
    stolen: Option[() => AmqpFailure]
) extends FaultTarget
    with AutoCloseable {

  host.server.faultTargets.add(this)

  def at(occasion: Occasion): Option[FaultHit] = host.server.faults.at(occasion, place)

  override def canSuffer(action: FaultAction): Boolean = action match {
    case FaultAction.Steal => stolen.nonEmpty
    case FaultAction.ExpireEvents | FaultAction.RecreateHub => false
    case _ => true
  }

  override def strike(action: FaultAction): Unit = host.execute(() => end(action))

  /** Does what ends the link or its connection. */
  def end(action: FaultAction): Unit = action match {
    case FaultAction.DropConnection => host.drop()
    case FaultAction.Detach(condition, description) => host.detach(link, AmqpFailure(condition, description))
    case FaultAction.ExpireTokens => host.expireTokens()
    case FaultAction.Steal => stolen.foreach(failure => host.detach(link, failure()))
    case FaultAction.ExpireEvents | FaultAction.RecreateHub => host.server.hubFaults.strike(action, place); ()
    case FaultAction.Throttle | FaultAction.Stall | FaultAction.RefuseToken | FaultAction.Delay(_) => ()
  }

  override def close(): Unit = { host.server.faultTargets.remove(this); () }
}
