package org.apache.spark.eventhubs.client

import org.apache.qpid.proton.amqp.Binary

/** An application property of type binary by which the connector knows its own events again. */
private[spark] final case class OutgoingStamp(name: String, bytes: Array[Byte])

private[spark] object OutgoingStamp {

  /**
   * The bytes of the stamp `name`. None for an event without it, also where a property of that name is no binary: the
   * text form of another hub's stamp, copied with the column `properties`.
   */
  def of(event: ReceivedEvent, name: String): Option[Array[Byte]] =
    event.applicationProperties.get(name) match {
      case binary: Binary =>
        val from = binary.getArrayOffset
        Some(java.util.Arrays.copyOfRange(binary.getArray, from, from + binary.getLength))
      case _ => None
    }
}
