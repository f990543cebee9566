package localhub.amqp.event

import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.US_ASCII

import localhub.log.LogBounds

/**
 * The delivery annotations that give a reader, with every event, the end of its partition.
 *
 * @param entries encoded keys and values
 */
private[amqp] final class RuntimeMetrics private (entries: Array[Byte]) {
  import RuntimeMetrics._

  private val ownSection = section(entries, Elements)

  /** A stored event with the metrics. Its header stays first, and its own delivery annotations are kept. */
  def addedTo(event: Array[Byte]): Array[Byte] =
    if (startsWithAnnotations(event)) ownSection ++ event
    else {
      val sections = new MessageSections(event, 0, event.length)
      val header = event.slice(sections.headerStart, sections.headerEnd)
      val rest = event.drop(math.max(sections.headerEnd, sections.deliveryAnnotationsEnd))
      if (sections.deliveryAnnotationsEnd == 0) header ++ ownSection ++ rest
      else {
        val at = Section.valueAt(event, sections.deliveryAnnotationsStart, event.length)
        val (first, elements) = EncodedValue.mapContent(event, at, event.length)
        val client = event.slice(first, sections.deliveryAnnotationsEnd)
        header ++ section(entries ++ client, Elements + elements) ++ rest
      }
    }
}

private[amqp] object RuntimeMetrics {
  private val Elements = 8

  private val sectionStart = Array(0x00, 0x53, Section.DeliveryAnnotations).map(_.toByte)
  private val sequenceNumber = StoredEventEncoder.symbol("last_enqueued_sequence_number")
  private val offset = StoredEventEncoder.symbol("last_enqueued_offset")
  private val enqueuedTime = StoredEventEncoder.symbol("last_enqueued_time_utc")
  private val retrievalTime = StoredEventEncoder.symbol("runtime_info_retrieval_time_utc")

  def apply(bounds: LogBounds, nowMillis: Long): RuntimeMetrics = {
    val offsetText = bounds.lastOffset.toString.getBytes(US_ASCII)
    val keys = sequenceNumber.length + offset.length + enqueuedTime.length + retrievalTime.length
    val out = ByteBuffer.allocate(keys + 3 * 9 + 2 + offsetText.length)
    out.put(sequenceNumber).put(StoredEventEncoder.Long8).putLong(bounds.lastSequenceNumber)
    out.put(offset).put(StoredEventEncoder.String8).put(offsetText.length.toByte).put(offsetText)
    out.put(enqueuedTime).put(StoredEventEncoder.Timestamp8).putLong(bounds.lastEnqueuedMillis)
    out.put(retrievalTime).put(StoredEventEncoder.Timestamp8).putLong(nowMillis)
    new RuntimeMetrics(out.array)
  }

  private def section(entries: Array[Byte], elements: Int): Array[Byte] = {
    val out = ByteBuffer.allocate(sectionStart.length + EncodedMap.headLength(entries.length) + entries.length)
    out.put(sectionStart)
    EncodedMap.putHead(out, entries.length, elements)
    out.put(entries)
    out.array
  }

  private def startsWithAnnotations(event: Array[Byte]): Boolean =
    event.length > 2 && event(2) == Section.MessageAnnotations.toByte
}
