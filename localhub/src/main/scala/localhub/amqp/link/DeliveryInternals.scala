package localhub.amqp.link

import java.lang.reflect.Method

import org.apache.qpid.proton.engine.Delivery

/** What proton-j's deliveries know and do and keep to themselves: this calls their package-private methods. */
private object DeliveryInternals {

  private val delivery = Class.forName("org.apache.qpid.proton.engine.impl.DeliveryImpl")
  private val transportDelivery = accessible(delivery.getDeclaredMethod("getTransportDelivery"))
  private val deliveryId = accessible(transportDelivery.getReturnType.getDeclaredMethod("getDeliveryId"))
  private val setRemoteSettled =
    accessible(delivery.getDeclaredMethod("setRemoteSettled", java.lang.Boolean.TYPE))

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

  private def accessible(method: Method): Method = {
    method.setAccessible(true)
    method
  }
}
