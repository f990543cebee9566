package localhub.amqp.link

import java.lang.reflect.Method

import scala.annotation.tailrec

import org.apache.qpid.proton.engine.impl.{ConnectionImpl, LinkImpl, SessionImpl}
import org.apache.qpid.proton.engine.{Delivery, Link, Receiver, Sender}

/** What proton-j's deliveries know and do and keep to themselves: this calls their package-private methods. */
private[amqp] object DeliveryInternals {

  private val delivery = Class.forName("org.apache.qpid.proton.engine.impl.DeliveryImpl")
  private val transportDelivery = accessible(delivery.getDeclaredMethod("getTransportDelivery"))
  private val deliveryId = accessible(transportDelivery.getReturnType.getDeclaredMethod("getDeliveryId"))
  private val setRemoteSettled =
    accessible(delivery.getDeclaredMethod("setRemoteSettled", java.lang.Boolean.TYPE))

  private val workHead = accessible(classOf[ConnectionImpl].getDeclaredMethod("getTransportWorkHead"))
  private val workNext = accessible(delivery.getDeclaredMethod("getTransportWorkNext"))
  private val clearWork = accessible(delivery.getDeclaredMethod("clearTransportWork"))
  private val decrementQueued = accessible(classOf[LinkImpl].getDeclaredMethod("decrementQueued"))
  private val incrementOutgoingBytes =
    accessible(classOf[SessionImpl].getDeclaredMethod("incrementOutgoingBytes", java.lang.Integer.TYPE))

  /** The id that the peer gave it. */
  def id(delivery: Delivery): Long = deliveryId.invoke(transportDelivery.invoke(delivery)) match {
    case id: Number => id.longValue
    case other => throw new IllegalStateException(s"A delivery has the id $other.")
  }

  /** Settles it as if its peer had settled it before, so the peer gets no disposition, which would be an outcome. */
  def settleSilently(delivery: Delivery): Unit = {
    setRemoteSettled.invoke(delivery, java.lang.Boolean.TRUE)
    delivery.settle()
  }

  /**
   * Drops what a link has not sent yet, because it is about to end. proton-j alone would keep the DETACH, END or CLOSE
   * behind what waits for the session's window, which the peer may never open, and the events for the connection's
   * life.
   */
  def dropUnsent(link: Link): Unit = link match {
    case sender: Sender if sender.getQueued > 0 =>
      dropUnsent(sender, Option(workHead.invoke(link.getSession.getConnection)))
    case _ => ()
  }

  @tailrec
  private def dropUnsent(sender: Sender, work: Option[AnyRef]): Unit = work match {
    case Some(waiting: Delivery) =>
      val next = Option(workNext.invoke(waiting))
      if (waiting.getLink eq sender) {
        clearWork.invoke(waiting)
        decrementQueued.invoke(sender)
        incrementOutgoingBytes.invoke(sender.getSession, Int.box(-waiting.pending))
      }
      dropUnsent(sender, next)
    case _ => ()
  }

  /** Frees a link that is over. proton-j alone would settle what the peer has no outcome of, and write that. */
  def free(link: Link): Unit = {
    link match {
      case receiver: Receiver => settleSilently(receiver)
      case _ => dropUnsent(link)
    }
    link.free()
  }

  @tailrec
  private def settleSilently(receiver: Receiver): Unit = Option(receiver.head()) match {
    case Some(unsettled) =>
      settleSilently(unsettled)
      settleSilently(receiver)
    case None => ()
  }

  private def accessible(method: Method): Method = {
    method.setAccessible(true)
    method
  }
}
