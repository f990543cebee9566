package localhub.amqp.link

import org.apache.qpid.proton.engine.Delivery

/** The id that the peer gave a delivery. proton-j keeps it to itself, so this calls its package-private methods. */
private object DeliveryId {

  private val transportDelivery = {
    val method =
      Class.forName("org.apache.qpid.proton.engine.impl.DeliveryImpl").getDeclaredMethod("getTransportDelivery")
    method.setAccessible(true)
    method
  }

  private val deliveryId = {
    val method = transportDelivery.getReturnType.getDeclaredMethod("getDeliveryId")
    method.setAccessible(true)
    method
  }

  def of(delivery: Delivery): Long = deliveryId.invoke(transportDelivery.invoke(delivery)) match {
    case id: Number => id.longValue
    case other => throw new IllegalStateException(s"A delivery has the id $other.")
  }
}
