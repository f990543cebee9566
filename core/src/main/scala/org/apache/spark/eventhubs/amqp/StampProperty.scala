package org.apache.spark.eventhubs.amqp

import java.nio.charset.StandardCharsets.UTF_8

import org.apache.qpid.proton.amqp.Binary

/** An application property of type binary by which the connector knows its own events again. */
private[spark] class StampProperty(val name: StampName, val bytes: Array[Byte]) {

  /** For the first event of a batch, by which the batch can be told from all others. Asked for once per batch. */
  def ofBatch(): StampProperty = this

  /**
   * The application properties of an event that has no others, encoded: where many events share a stamp, each of them is spared
   * that. None where they do not.
   */
  private[eventhubs] def section: Option[Array[Byte]] = None
}

/** A stamp of many events. */
private[spark] class SharedStampProperty(name: StampName, bytes: Array[Byte]) extends StampProperty(name, bytes) {
  private[eventhubs] final override val section: Some[Array[Byte]] = Some(EventEncoder.properties(this))
}

/** The name of the property, which each event of a query has: encoded once. */
private[spark] final case class StampName(text: String) {
  private[eventhubs] val utf8 = text.getBytes(UTF_8)
}

private[spark] object StampProperty {

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
