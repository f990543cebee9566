package localhub.amqp.event

import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.US_ASCII

import localhub.log.LogBounds

/** The delivery annotations that give a reader, with every event, the end of its partition. */
private[amqp] object RuntimeMetrics {

  private val section = Array(0x00, 0x53, Section.DeliveryAnnotations).map(_.toByte)
  private val sequenceNumber = StoredEventEncoder.symbol("last_enqueued_sequence_number")
  private val offset = StoredEventEncoder.symbol("last_enqueued_offset")
  private val enqueuedTime = StoredEventEncoder.symbol("last_enqueued_time_utc")
  private val retrievalTime = StoredEventEncoder.symbol("runtime_info_retrieval_time_utc")

  def encode(bounds: LogBounds, nowMillis: Long): Array[Byte] = {
    val offsetText = bounds.lastOffset.toString.getBytes(US_ASCII)
    val size =
      4 + sequenceNumber.length + offset.length + enqueuedTime.length + retrievalTime.length + 3 * 9 + 2 + offsetText.length
    val out = ByteBuffer.allocate(section.length + 5 + size)
    out.put(section).put(StoredEventEncoder.Map32).putInt(size).putInt(8)
    out.put(sequenceNumber).put(StoredEventEncoder.Long8).putLong(bounds.lastSequenceNumber)
    out.put(offset).put(StoredEventEncoder.String8).put(offsetText.length.toByte).put(offsetText)
    out.put(enqueuedTime).put(StoredEventEncoder.Timestamp8).putLong(bounds.lastEnqueuedMillis)
    out.put(retrievalTime).put(StoredEventEncoder.Timestamp8).putLong(nowMillis)
    out.array
  }
}
