package org.apache.spark.sql.eventhubs.sink

import java.nio.charset.StandardCharsets.UTF_8
import java.util.{Date, Map => JavaMap}

import org.apache.spark.eventhubs.amqp.{OutgoingBody, OutgoingEvent}
import org.apache.spark.sql.catalyst.expressions.XXH64
import org.apache.spark.unsafe.Platform

/**
 * 128 bits over all that is sent of an event: body, destination, properties, ids and content type. Two XXH64 of different
 * seeds: rows that differ by chance have different fingerprints (among 10 million rows a shared one has a probability of
 * 10^-25); somebody who sets out to make two of them equal may succeed, and then only harms his own events.
 *
 * The numbers are compared with those of an earlier run, so a change of this function is a change of a format.
 */
private[eventhubs] final case class Fingerprint(high: Long, low: Long)

private[eventhubs] object Fingerprint {

  private val HighSeed = 0x5bd1e995a2c3f17bL
  private val LowSeed = 0x1b873593cc9e2d51L

  /** @param partition that the row, or the option for all rows, names */
  def of(event: OutgoingEvent, partition: Option[String]): Fingerprint = whole(event.body, beside(event, partition))

  /** @param beside of the same event */
  def whole(body: OutgoingBody, beside: Option[Fingerprint]): Fingerprint =
    if (beside.isEmpty) Fingerprint(bytes(body, HighSeed), bytes(body, LowSeed))
    else Fingerprint(bytes(body, beside.get.high), bytes(body, beside.get.low))

  /**
   * Over all but the body: of that the service gives back what it was sent, of the rest it need not, and the partition that
   * a row names is not told from one that the service chose. None for an event that has only a body.
   */
  def beside(event: OutgoingEvent, partition: Option[String]): Option[Fingerprint] =
    if (
      partition.isEmpty && event.partitionKey.isEmpty && event.messageId.isEmpty && event.correlationId.isEmpty &&
      event.contentType.isEmpty && event.properties.isEmpty
    ) None
    else Some(Fingerprint(beside(event, partition, HighSeed), beside(event, partition, LowSeed)))

  private def beside(event: OutgoingEvent, partition: Option[String], seed: Long): Long = {
    var hash = text(partition, seed)
    hash = text(event.partitionKey, hash)
    hash = text(event.messageId, hash)
    hash = text(event.correlationId, hash)
    hash = text(event.contentType, hash)
    if (event.properties.isEmpty) hash else XXH64.hashLong(properties(event.properties, seed), hash)
  }

  /** A sum, because a map's entries come in any order. */
  private def properties(entries: JavaMap[String, AnyRef], seed: Long): Long = {
    var sum = 0L
    entries.forEach((name, content) => sum += value(content, bytes(name.getBytes(UTF_8), seed)))
    sum
  }

  /** With the type: the number 1 and the text "1" are different properties. */
  private def value(content: AnyRef, seed: Long): Long = content match {
    case text: String => bytes(text.getBytes(UTF_8), seed)
    case array: Array[Byte] => bytes(array, seed + 1)
    case time: Date => XXH64.hashLong(time.getTime, seed + 2)
    case number: java.lang.Double => XXH64.hashLong(java.lang.Double.doubleToLongBits(number), seed + 3)
    case number: java.lang.Float => XXH64.hashLong(java.lang.Float.floatToIntBits(number).toLong, seed + 4)
    case number: java.lang.Long => XXH64.hashLong(number, seed + 5)
    case number: java.lang.Integer => XXH64.hashLong(number.toLong, seed + 6)
    case number: java.lang.Short => XXH64.hashLong(number.toLong, seed + 7)
    case number: java.lang.Byte => XXH64.hashLong(number.toLong, seed + 8)
    case other => bytes(other.toString.getBytes(UTF_8), seed + 9)
  }

  /** Nothing and an empty text are different. */
  private def text(content: Option[String], seed: Long): Long =
    if (content.isEmpty) java.lang.Long.rotateLeft(seed, 17) + 1 else bytes(content.get.getBytes(UTF_8), seed)

  private def bytes(content: Array[Byte], seed: Long): Long =
    XXH64.hashUnsafeBytes(content, Platform.BYTE_ARRAY_OFFSET.toLong, content.length, seed)

  private def bytes(content: OutgoingBody, seed: Long): Long =
    XXH64.hashUnsafeBytes(content.base, content.offset, content.length, seed)
}
