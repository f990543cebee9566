package org.apache.spark.eventhubs.client

import java.nio.charset.StandardCharsets.UTF_8

import org.apache.qpid.proton.amqp.Binary

/** An application property of type binary by which the connector knows its own events again. */
private[spark] class OutgoingStamp(val name: StampName, val bytes: Array[Byte]) {

  /** For the first event of a batch, by which the batch can be told from all others. Asked for once per batch. */
  def ofBatch(): OutgoingStamp = this

  /**
   * The application properties of an event that has no others, encoded: where many events share a stamp, each of them is spared
   * that. None where they do not.
   */
  private[client] def section: Option[Array[Byte]] = None
}

/** A stamp of many events. */
private[spark] class SharedStamp(name: StampName, bytes: Array[Byte]) extends OutgoingStamp(name, bytes) {
  private[client] final override val section: Some[Array[Byte]] = Some(OutgoingEncoding.properties(this))
}

/** The name of the property, which each event of a query has: encoded once. */
private[spark] final case class StampName(text: String) {
  private[client] val utf8 = text.getBytes(UTF_8)
}

private[spark] object OutgoingStamp {

  /**
   * The bytes of the stamp `name`. None for an event without it, also where a property of that name is no binary: the
   * text form of another hub's stamp, copied with the column `properties`.
   */
  def of(event: ReceivedEvent, name: StampName): Option[Array[Byte]] =
    event.applicationProperties.get(name.text) match {
      case binary: Binary =>
        val from = binary.getArrayOffset
        Some(java.util.Arrays.copyOfRange(binary.getArray, from, from + binary.getLength))
      case _ => None
    }
}
