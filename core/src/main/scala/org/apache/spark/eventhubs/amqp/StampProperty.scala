package org.apache.spark.eventhubs.amqp

import java.nio.charset.StandardCharsets.UTF_8

import org.apache.qpid.proton.amqp.Binary

/** A binary application property that identifies events of the connector. */
private[spark] class StampProperty(val name: StampName, val bytes: Array[Byte]) {

  /** The stamp of the first event of a batch, which may identify the batch. Called once per batch. */
  def ofBatch(): StampProperty = this

  /**
   * The encoded application properties section of an event without other properties. Set for a stamp that many events
   * share, so that it is encoded once.
   */
  private[eventhubs] def section: Option[Array[Byte]] = None
}

/** A stamp that many events share. */
private[spark] class SharedStampProperty(name: StampName, bytes: Array[Byte]) extends StampProperty(name, bytes) {
  private[eventhubs] final override val section: Some[Array[Byte]] = Some(EventEncoder.properties(this))
}

/** The name of a stamp. Encoded once, because all events of a query have it. */
private[spark] final case class StampName(text: String) {
  private[eventhubs] val utf8 = text.getBytes(UTF_8)
}

private[spark] object StampProperty {

  /**
   * The bytes of the stamp `name`. None for an event without it, and for a property of that name that is not binary,
   * such as another hub's stamp that was copied as text with the column `properties`.
   */
  def of(event: ReceivedEvent, name: StampName): Option[Array[Byte]] =
    event.applicationProperties.get(name.text) match {
      case binary: Binary =>
        val from = binary.getArrayOffset
        Some(java.util.Arrays.copyOfRange(binary.getArray, from, from + binary.getLength))
      case _ => None
    }
}
