package org.apache.spark.eventhubs.amqp

/** Copies the body of an event, for suites. */
object BodyBytes {

  private[spark] def of(body: OutgoingBody): Array[Byte] = {
    val bytes = new Array[Byte](body.length)
    body.writeTo(bytes, 0)
    bytes
  }
}
