package org.apache.spark.eventhubs.amqp

import scala.util.Random

object RandomBytes {

  def apply(length: Int, random: Random = new Random): Array[Byte] = {
    val bytes = new Array[Byte](length)
    random.nextBytes(bytes)
    bytes
  }
}
