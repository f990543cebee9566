package localhub.amqp.event

import java.io.ByteArrayOutputStream
import java.nio.charset.StandardCharsets.UTF_8

/**
 * One event as the client sent it, still encoded.
 *
 * @param leading     the client's header and delivery annotations, which come first
 * @param annotations the client's message annotations as encoded pairs, without those that only the broker sets
 */
private[amqp] final class IncomingEvent(
    val bytes: Array[Byte],
    val leading: Array[Byte],
    val annotations: Array[Byte],
    val annotationElements: Int,
    val bareMessageStart: Int,
    val bareMessageEnd: Int,
    val partitionKey: Option[String],
    val producerSequenceNumber: Option[Int]
) {

  /** The event as the service stores it for a publisher: with the publisher's name, which is also the partition key. */
  def withPublisher(name: String): IncomingEvent = {
    val added = Seq(StoredEventEncoder.Publisher) ++ Option.when(partitionKey.isEmpty)(StoredEventEncoder.PartitionKey)
    val encoded = added.flatMap(key => StoredEventEncoder.symbol(key) ++ StoredEventEncoder.text(name)).toArray
    new IncomingEvent(
      bytes,
      leading,
      annotations ++ encoded,
      annotationElements + 2 * added.size,
      bareMessageStart,
      bareMessageEnd,
      Some(name),
      producerSequenceNumber
    )
  }
}

private[amqp] object IncomingEvent {

  /** The annotation with which an idempotent producer numbers its events. */
  val ProducerSequenceNumber = "com.microsoft:producer-sequence-number"

  private val NoBytes = Array.emptyByteArray

  /** Parses the annotations of one encoded message; the rest is kept byte for byte. */
  def parse(bytes: Array[Byte], start: Int, limit: Int): IncomingEvent = {
    val sections = new MessageSections(bytes, start, limit)
    if (sections.hasAnnotations) annotated(sections)
    else
      new IncomingEvent(
        bytes,
        leading(sections),
        NoBytes,
        0,
        sections.bareMessageStart,
        sections.bareMessageEnd,
        None,
        None
      )
  }

  private def leading(sections: MessageSections): Array[Byte] =
    if (sections.headerEnd == 0 && sections.deliveryAnnotationsEnd == 0) NoBytes
    else
      sections.bytes.slice(sections.headerStart, sections.headerEnd) ++
        sections.bytes.slice(sections.deliveryAnnotationsStart, sections.deliveryAnnotationsEnd)

  private def annotated(sections: MessageSections): IncomingEvent = {
    import sections.{bareMessageEnd, bareMessageStart, bytes}
    val kept = new ByteArrayOutputStream
    var elements = 0
    var key = Option.empty[String]
    var producerSequenceNumber = Option.empty[Int]
    sections.foreachAnnotation { (name, valueAt, from, until) =>
      if (!StoredEventEncoder.brokerAnnotations.contains(name)) {
        kept.write(bytes, from, until - from)
        elements += 2
        if (name == StoredEventEncoder.PartitionKey) key = text(bytes, valueAt, bareMessageEnd)
        else if (name == ProducerSequenceNumber) producerSequenceNumber = int(bytes, valueAt, bareMessageEnd)
      }
    }
    new IncomingEvent(
      bytes,
      leading(sections),
      kept.toByteArray,
      elements,
      bareMessageStart,
      bareMessageEnd,
      key,
      producerSequenceNumber
    )
  }

  private def int(bytes: Array[Byte], at: Int, limit: Int): Option[Int] = {
    val end = EncodedValue.end(bytes, at, limit)
    bytes(at) & 0xff match {
      case 0x54 => Some(bytes(at + 1).toInt)
      case 0x71 => Some((at + 1 until end).foldLeft(0)((value, i) => (value << 8) | (bytes(i) & 0xff)))
      case _ => None
    }
  }

  private def text(bytes: Array[Byte], at: Int, limit: Int): Option[String] = bytes(at) & 0xff match {
    case 0xa1 | 0xb1 =>
      val content = EncodedValue.variable(bytes, at, limit)
      Some(new String(bytes, content.start, content.length, UTF_8))
    case _ => None
  }
}
