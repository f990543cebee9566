package org.apache.spark.sql.eventhubs.sink

import java.nio.charset.StandardCharsets.UTF_8
import java.util.{Date, Map => JavaMap}

import org.apache.spark.eventhubs.EventHubName
import org.apache.spark.eventhubs.amqp.{OutgoingBody, OutgoingEvent}
import org.apache.spark.sql.catalyst.expressions.XXH64
import org.apache.spark.unsafe.Platform

/**
 * A 128-bit hash of everything that an event sends: body, destination, properties, ids and content type. It is two
 * XXH64 with different seeds. Among 10 million rows two equal fingerprints by chance have a probability of 10^-25. A
 * user can create equal fingerprints on purpose, and then affects only their own events.
 *
 * Fingerprints are compared with those of an earlier run, so this function is a format and must not change.
 */
private[eventhubs] final case class Fingerprint(high: Long, low: Long) {

  /**
   * Equal events of two hubs are different. No event is stored with it: it is computed where events are compared.
   *
   * @param hub from [[Fingerprint.hub]]
   */
  def inHub(hub: Long): Fingerprint =
    if (hub == Fingerprint.OneHub) this else Fingerprint(XXH64.hashLong(high, hub), XXH64.hashLong(low, hub + 1))
}

private[eventhubs] object Fingerprint {

  /** Where all events are of one hub. */
  val OneHub = 0L

  /** Stands for a hub where rows name their hubs. */
  def hub(name: EventHubName): Long = bytes(name.key.getBytes(UTF_8), HighSeed) | 1

  private val HighSeed = 0x5bd1e995a2c3f17bL
  private val LowSeed = 0x1b873593cc9e2d51L

  /** @param partition that the row names, or the option for all rows */
  def of(event: OutgoingEvent, partition: Option[String]): Fingerprint =
    combine(event.body, attributes(event, partition))

  /** @param attributes of the same event, from [[Fingerprint.attributes]] */
  def combine(body: OutgoingBody, attributes: Option[Fingerprint]): Fingerprint =
    if (attributes.isEmpty) Fingerprint(bytes(body, HighSeed), bytes(body, LowSeed))
    else Fingerprint(bytes(body, attributes.get.high), bytes(body, attributes.get.low))

  /**
   * The fingerprint of everything except the body, which the event carries in its stamp. The service returns the body
   * as it was sent, but not necessarily the rest, and it does not return whether the row named the partition. None for
   * an event that has only a body.
   */
  def attributes(event: OutgoingEvent, partition: Option[String]): Option[Fingerprint] =
    if (
      partition.isEmpty && event.partitionKey.isEmpty && event.messageId.isEmpty && event.correlationId.isEmpty &&
      event.contentType.isEmpty && event.properties.isEmpty
    ) None
    else Some(Fingerprint(attributes(event, partition, HighSeed), attributes(event, partition, LowSeed)))

  private def attributes(event: OutgoingEvent, partition: Option[String], seed: Long): Long = {
    var hash = text(partition, seed)
    hash = text(event.partitionKey, hash)
    hash = text(event.messageId, hash)
    hash = text(event.correlationId, hash)
    hash = text(event.contentType, hash)
    if (event.properties.isEmpty) hash else XXH64.hashLong(properties(event.properties, seed), hash)
  }

  /** A sum, because the order of a map's entries is not defined. */
  private def properties(entries: JavaMap[String, AnyRef], seed: Long): Long = {
    var sum = 0L
    entries.forEach((name, content) => sum += value(content, bytes(name.getBytes(UTF_8), seed)))
    sum
  }

  /** Includes the type: the number 1 and the string "1" are different properties. */
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
    case null => XXH64.hashLong(0, seed + 10)
    case other => bytes(other.toString.getBytes(UTF_8), seed + 9)
  }

  /** None and an empty string are different. */
  private def text(content: Option[String], seed: Long): Long =
    if (content.isEmpty) java.lang.Long.rotateLeft(seed, 17) + 1 else bytes(content.get.getBytes(UTF_8), seed)

  private def bytes(content: Array[Byte], seed: Long): Long =
    XXH64.hashUnsafeBytes(content, Platform.BYTE_ARRAY_OFFSET.toLong, content.length, seed)

  /** Null and an empty body are different. */
  private def bytes(content: OutgoingBody, seed: Long): Long =
    if (content.isNull) java.lang.Long.rotateLeft(seed, 31) + 1
    else XXH64.hashUnsafeBytes(content.base, content.offset, content.length, seed)
}
