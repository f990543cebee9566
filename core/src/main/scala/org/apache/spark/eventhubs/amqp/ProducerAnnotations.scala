package org.apache.spark.eventhubs.amqp

import java.nio.ByteBuffer

/**
 * The annotations of an event of an idempotent producer: the producer's epoch and id, and the event's number. They are
 * written with zeros, because the numbers are known only when the batch is sent, and set then. All have a fixed width.
 */
private[eventhubs] object ProducerAnnotations {

  val Entries = 3

  private val Prefix = "com.microsoft:producer-"

  /** The encoded entries of the map, without its head. */
  val Encoded: Array[Byte] = {
    val out = new AmqpWriter(firstCapacity = 160)
    out.symbol(s"${Prefix}epoch")
    out.fixedShort(0)
    out.symbol(s"${Prefix}id")
    out.fixedLong(0)
    out.symbol(s"${Prefix}sequence-number")
    out.fixedInt(0)
    java.util.Arrays.copyOf(out.array, out.length)
  }

  /** The section of an event without other annotations. */
  val Section: Array[Byte] = {
    val out = new AmqpWriter(firstCapacity = 160)
    out.section(AmqpWriter.MessageAnnotationsSection)
    val start = out.beginCompound()
    out.encoded(Encoded)
    out.endCompound(start, AmqpWriter.Map8, AmqpWriter.Map32, 2 * Entries)
    java.util.Arrays.copyOf(out.array, out.length)
  }

  // Each value follows its symbol, whose head has two bytes, and its own type, which has one.
  private val EpochAt = 2 + Prefix.length + "epoch".length + 1
  private val IdAt = EpochAt + 2 + 2 + Prefix.length + "id".length + 1
  private val NumberAt = IdAt + 8 + 2 + Prefix.length + "sequence-number".length + 1

  /** @param at where the copy of [[Encoded]] in `message` starts */
  def set(message: ByteBuffer, at: Int, id: Long, epoch: Short, number: Int): Unit = {
    message.putShort(at + EpochAt, epoch)
    message.putLong(at + IdAt, id)
    message.putInt(at + NumberAt, number)
    ()
  }
}
