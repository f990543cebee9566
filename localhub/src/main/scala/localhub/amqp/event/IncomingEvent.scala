package localhub.amqp.event

import java.nio.charset.StandardCharsets.UTF_8

/**
 * One event as the client sent it, still encoded.
 *
 * @param annotations the client's message annotations as encoded pairs, without those that only the broker sets
 */
private[amqp] final class IncomingEvent(
    val bytes: Array[Byte],
    val annotations: Array[Byte],
    val annotationElements: Int,
    val bareMessageStart: Int,
    val bareMessageEnd: Int,
    val partitionKey: Option[String]
) {

  /** The event as the service stores it for a publisher: with the publisher's name, which is also the partition key. */
  def withPublisher(name: String): IncomingEvent = {
    val added = Seq(StoredEventEncoder.Publisher) ++ Option.when(partitionKey.isEmpty)(StoredEventEncoder.PartitionKey)
    val encoded = added.flatMap(key => StoredEventEncoder.symbol(key) ++ StoredEventEncoder.text(name)).toArray
    new IncomingEvent(
      bytes,
      annotations ++ encoded,
      annotationElements + 2 * added.size,
      bareMessageStart,
      bareMessageEnd,
      Some(name)
    )
  }
}

private[amqp] object IncomingEvent {

  private val NoBytes = Array.emptyByteArray

  /** Parses the annotations of one encoded message; the rest is kept byte for byte. */
  def parse(bytes: Array[Byte], start: Int, limit: Int): IncomingEvent = {
    val sections = new MessageSections(bytes, start, limit)
    if (sections.hasAnnotations) annotated(sections)
    else new IncomingEvent(bytes, NoBytes, 0, sections.bareMessageStart, sections.bareMessageEnd, None)
  }

  private def annotated(sections: MessageSections): IncomingEvent = {
    import sections.{bareMessageEnd, bareMessageStart, bytes}
    var kept = NoBytes
    var elements = 0
    var key = Option.empty[String]
    sections.foreachAnnotation { (name, valueAt, from, until) =>
      if (!StoredEventEncoder.brokerAnnotations.contains(name)) {
        kept ++= bytes.slice(from, until)
        elements += 2
        if (name == StoredEventEncoder.PartitionKey) key = text(bytes, valueAt, bareMessageEnd)
      }
    }
    new IncomingEvent(bytes, kept, elements, bareMessageStart, bareMessageEnd, key)
  }

  private def text(bytes: Array[Byte], at: Int, limit: Int): Option[String] = bytes(at) & 0xff match {
    case 0xa1 | 0xb1 =>
      val content = EncodedValue.variable(bytes, at, limit)
      Some(new String(bytes, content.start, content.length, UTF_8))
    case _ => None
  }
}
