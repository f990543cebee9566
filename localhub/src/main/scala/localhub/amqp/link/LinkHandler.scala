package localhub.amqp.link

import org.apache.qpid.proton.engine.Delivery

import localhub.amqp.server.AmqpFailure
import localhub.auth.Access

/** The server's side of one open link. Runs on the connection's thread only. */
private[amqp] trait LinkHandler {

  /** What a token must allow while the link is open. */
  def requires: Option[Access] = None

  /** Whether the link keeps its connection open; those of `\$cbs` and `\$management` do not. */
  def isActive: Boolean = false

  /** Why the link is detached now, if nothing has used it for too long. */
  def idleFailure(nowNanos: Long): Option[AmqpFailure] = None

  /** A delivery, or another part of it, has arrived. */
  def onDelivery(delivery: Delivery): Unit = ()

  /** The peer has sent a flow for this link. */
  def onFlow(): Unit = ()

  /** The link or its connection was closed by either side: release resources. */
  def onClosed(): Unit = ()
}
