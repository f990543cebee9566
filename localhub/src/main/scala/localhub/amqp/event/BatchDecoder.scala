package localhub.amqp.event

import scala.collection.immutable.ArraySeq
import scala.collection.mutable.ArrayBuffer

/** Splits a transfer of a producer into events: one event or a batch. */
private[amqp] object BatchDecoder {

  /** Message format of a batch: each data section is a complete encoded message. */
  val BatchFormat: Int = 0x80013700

  def decode(bytes: Array[Byte], messageFormat: Int): IndexedSeq[IncomingEvent] = messageFormat match {
    case BatchFormat => decodeBatch(bytes)
    case 0 => IndexedSeq(IncomingEvent.parse(bytes, 0, bytes.length))
    case other =>
      throw new DecodingException(f"Message format 0x$other%08x is not known; expected 0 or 0x$BatchFormat%08x.")
  }

  private def decodeBatch(bytes: Array[Byte]): IndexedSeq[IncomingEvent] = {
    val events = new ArrayBuffer[IncomingEvent]
    var at = 0
    while (at < bytes.length) {
      val value = Section.valueAt(bytes, at, bytes.length)
      if (Section.codeAt(bytes, at, bytes.length) == Section.Data) {
        val message = EncodedValue.variable(bytes, value, bytes.length)
        events += IncomingEvent.parse(bytes, message.start, message.end)
      }
      at = EncodedValue.end(bytes, value, bytes.length)
    }
    ArraySeq.unsafeWrapArray(events.toArray)
  }
}
