package localhub.amqp.event

import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.{US_ASCII, UTF_8}

import localhub.log.{EventEncoder, LogPosition}

/**
 * Encodes events for the partition log, ready to be sent to any reader: the client's header and delivery annotations,
 * the broker's three annotations, then the client's own, then the rest of the message byte for byte.
 */
private[amqp] final class StoredEventEncoder(
    events: IndexedSeq[IncomingEvent],
    epochAt: Long => Option[Int] = _ => None
) extends EventEncoder {
  import StoredEventEncoder._

  override def encode(index: Int, position: LogPosition): Array[Byte] = epochAt(position.sequenceNumber) match {
    case None => encode(events(index), position)
    case Some(epoch) => encode(events(index), position, epoch)
  }

  /** In a geo-replicated hub an event also has its epoch, and its offset is a text with the epoch. */
  private def encode(event: IncomingEvent, position: LogPosition, epoch: Int): Array[Byte] = {
    val offsetText = ReplicatedOffset.text(epoch, position).getBytes(US_ASCII)
    val bareLength = event.bareMessageEnd - event.bareMessageStart
    val content = epochKey.length + 5 + sequenceNumberKey.length + 9 + offsetKey.length + 2 + offsetText.length +
      enqueuedTimeKey.length + 9 + event.annotations.length
    val out = ByteBuffer.allocate(
      event.leading.length + sectionStart.length + EncodedMap.headLength(content) + content + bareLength
    )
    out.put(event.leading).put(sectionStart)
    EncodedMap.putHead(out, content, 8 + event.annotationElements)
    out.put(epochKey).put(Int4).putInt(epoch)
    out.put(sequenceNumberKey).put(Long8).putLong(position.sequenceNumber)
    out.put(offsetKey).put(String8).put(offsetText.length.toByte).put(offsetText)
    out.put(enqueuedTimeKey).put(Timestamp8).putLong(position.enqueuedMillis)
    out.put(event.annotations).put(event.bytes, event.bareMessageStart, bareLength)
    out.array
  }

  private def encode(event: IncomingEvent, position: LogPosition): Array[Byte] = {
    val offsetLength = digits(position.offset)
    val bareLength = event.bareMessageEnd - event.bareMessageStart
    val content = sequenceNumberKey.length + 9 + offsetKey.length + 2 + offsetLength + enqueuedTimeKey.length + 9 +
      event.annotations.length
    val out = ByteBuffer.allocate(
      event.leading.length + sectionStart.length + EncodedMap.headLength(content) + content + bareLength
    )
    out.put(event.leading).put(sectionStart)
    EncodedMap.putHead(out, content, 6 + event.annotationElements)
    out.put(sequenceNumberKey).put(Long8).putLong(position.sequenceNumber)
    out.put(offsetKey).put(String8).put(offsetLength.toByte)
    putDigits(out, position.offset, offsetLength)
    out.put(enqueuedTimeKey).put(Timestamp8).putLong(position.enqueuedMillis)
    out.put(event.annotations).put(event.bytes, event.bareMessageStart, bareLength)
    out.array
  }
}

private[amqp] object StoredEventEncoder {
  val PartitionKey = "x-opt-partition-key"
  val Publisher = "x-opt-publisher"
  val SequenceNumber = "x-opt-sequence-number"
  val Offset = "x-opt-offset"
  val EnqueuedTime = "x-opt-enqueued-time"
  val SequenceNumberEpoch = "x-opt-sequence-number-epoch"

  /** Annotations that the broker sets. A client's values are dropped. */
  val brokerAnnotations: Set[String] = Set(SequenceNumberEpoch, SequenceNumber, Offset, EnqueuedTime)

  val Long8 = 0x81.toByte
  val Int4 = 0x71.toByte
  val String8 = 0xa1.toByte
  val Timestamp8 = 0x83.toByte

  private val sectionStart = Array(0x00, 0x53, Section.MessageAnnotations).map(_.toByte)
  private val epochKey = symbol(SequenceNumberEpoch)
  private val sequenceNumberKey = symbol(SequenceNumber)
  private val offsetKey = symbol(Offset)
  private val enqueuedTimeKey = symbol(EnqueuedTime)

  private def digits(number: Long): Int = {
    var count = 1
    var rest = number / 10
    while (rest > 0) {
      count += 1
      rest /= 10
    }
    count
  }

  /** Writes a non-negative number as text without creating a string, because this runs for each stored event. */
  private def putDigits(out: ByteBuffer, number: Long, count: Int): Unit = {
    val start = out.position()
    var rest = number
    var i = count - 1
    while (i >= 0) {
      out.put(start + i, ('0' + rest % 10).toByte)
      rest /= 10
      i -= 1
    }
    out.position(start + count)
    ()
  }

  def text(value: String): Array[Byte] = {
    val bytes = value.getBytes(UTF_8)
    if (bytes.length <= 255) Array(String8, bytes.length.toByte) ++ bytes
    else 0xb1.toByte +: (ByteBuffer.allocate(4).putInt(bytes.length).array ++ bytes)
  }

  def symbol(name: String): Array[Byte] = Array(0xa3.toByte, name.length.toByte) ++ name.getBytes(US_ASCII)
}
