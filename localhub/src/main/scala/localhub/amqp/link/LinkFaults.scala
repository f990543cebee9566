package localhub.amqp.link

import org.apache.qpid.proton.engine.Link

import localhub.amqp.fault.{FaultAction, FaultHit, FaultScope, FaultTarget, Occasion}
import localhub.amqp.server.AmqpFailure

/** Applies faults to one link. Registered as a target while the link is open. */
private[amqp] final class LinkFaults(
    context: LinkContext,
    link: Link,
    val scope: FaultScope,
    stolen: Option[() => AmqpFailure]
) extends FaultTarget
    with AutoCloseable {

  context.server.faultTargets.add(this)

  def at(occasion: Occasion): Option[FaultHit] = context.server.faults.at(occasion, scope)

  override def supports(action: FaultAction): Boolean = action match {
    case FaultAction.Steal => stolen.nonEmpty
    case FaultAction.ExpireEvents | FaultAction.RecreateHub | FaultAction.LagBehind(_) | FaultAction.OlderFirst(_) |
        FaultAction.FewerPartitions(_) | FaultAction.OlderEpoch | FaultAction.LoseAnswer =>
      false
    case _ => true
  }

  override def applyFault(action: FaultAction): Unit = context.execute(() => end(action))

  /** Applies an action that ends the link or its connection, or that changes its hub. */
  def end(action: FaultAction): Unit = action match {
    case FaultAction.DropConnection => context.drop()
    case FaultAction.Detach(condition, description) =>
      context.detach(link, AmqpFailure.asInjected(condition, description))
    case FaultAction.ExpireTokens => context.expireTokens()
    case FaultAction.Steal => stolen.foreach(failure => context.detach(link, failure()))
    case FaultAction.ExpireEvents | FaultAction.RecreateHub => context.server.hubFaults.applyAt(action, scope); ()
    case FaultAction.Throttle | FaultAction.Stall | FaultAction.HideEvents | FaultAction.RefuseToken | FaultAction.Delay(
          _
        ) |
        FaultAction.LagBehind(_) | FaultAction.OlderFirst(_) | FaultAction.FewerPartitions(_) |
        FaultAction.OlderEpoch | FaultAction.LoseAnswer =>
      ()
  }

  override def close(): Unit = { context.server.faultTargets.remove(this); () }
}
