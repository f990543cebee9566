package localhub.amqp.link

import org.apache.qpid.proton.engine.Delivery

import localhub.auth.Access

/** The server's side of one open link. Runs on the connection's thread only. */
private[amqp] trait LinkHandler {

  /** What a token must allow while the link is open. */
  def requires: Option[Access] = None

  /** A delivery, or another part of it, has arrived. */
  def onDelivery(delivery: Delivery): Unit = ()

  /** The peer has sent a flow for this link. */
  def onFlow(): Unit = ()

  /** The link or its connection was closed by either side: release resources. */
  def onClosed(): Unit = ()
}
