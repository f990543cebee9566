package localhub.amqp.event

import java.nio.charset.StandardCharsets.US_ASCII

/** Message sections by descriptor code. */
private[amqp] object Section {
  val Header = 0x70
  val DeliveryAnnotations = 0x71
  val MessageAnnotations = 0x72
  val Data = 0x75
  val Footer = 0x78

  private val byName = Seq(
    "amqp:header:list",
    "amqp:delivery-annotations:map",
    "amqp:message-annotations:map",
    "amqp:properties:list",
    "amqp:application-properties:map",
    "amqp:data:binary",
    "amqp:amqp-sequence:list",
    "amqp:amqp-value:*",
    "amqp:footer:map"
  ).zipWithIndex.map { case (name, index) => name -> (Header + index) }.toMap

  /** Which section starts at `at` (its described type's 0x00). */
  def codeAt(bytes: Array[Byte], at: Int, limit: Int): Int = {
    if (at >= limit || bytes(at) != EncodedValue.Described)
      throw new DecodingException(s"Expected a message section at byte $at.")
    // The encoding that clients use; a fast path, because this runs several times per event.
    val code =
      if (at + 2 < limit && bytes(at + 1) == EncodedValue.SmallUlong) bytes(at + 2) & 0xff
      else otherCodeAt(bytes, at + 1, limit).getOrElse(-1)
    if (code < Header || code > Footer)
      throw new DecodingException(s"The described type at byte $at is not a message section.")
    code
  }

  private def otherCodeAt(bytes: Array[Byte], descriptor: Int, limit: Int): Option[Int] =
    EncodedValue.unsignedLong(bytes, descriptor, limit).map(_.toInt).orElse {
      val name = EncodedValue.variable(bytes, descriptor, limit)
      byName.get(new String(bytes, name.start, name.length, US_ASCII))
    }

  /** Where the section's value starts. */
  def valueAt(bytes: Array[Byte], at: Int, limit: Int): Int = EncodedValue.end(bytes, at + 1, limit)
}

/**
 * Finds in one pass the sections that the broker reads or changes, and the part that it keeps byte for byte
 * (properties, application properties, body, footer). The Python SDK writes delivery annotations last; elsewhere the
 * order is that of the specification.
 */
private[amqp] final class MessageSections(val bytes: Array[Byte], start: Int, limit: Int) {

  private var annotationsValue = -1
  private var bareStart = limit
  private var bareEnd = limit
  private var firstHeader, lastHeader, firstDelivery, lastDelivery = 0

  {
    var at = start
    var last = Section.Header
    while (at < limit) {
      val code = Section.codeAt(bytes, at, limit)
      val value = Section.valueAt(bytes, at, limit)
      val end = EncodedValue.end(bytes, value, limit)
      if (code == Section.DeliveryAnnotations && last > Section.DeliveryAnnotations) {
        if (lastDelivery > 0 || end < limit) outOfOrder(at)
        bareEnd = at
      } else {
        if (code < last) outOfOrder(at)
        last = code
      }
      code match {
        case Section.Header => firstHeader = at; lastHeader = end
        case Section.DeliveryAnnotations => firstDelivery = at; lastDelivery = end
        case Section.MessageAnnotations => annotationsValue = value
        case _ => if (bareStart == limit) bareStart = at
      }
      at = end
    }
    if (bareStart > bareEnd) bareStart = bareEnd
  }

  private def outOfOrder(at: Int): Unit =
    throw new DecodingException(s"The message section at byte $at is out of order.")

  def hasAnnotations: Boolean = annotationsValue >= 0

  /** Bounds of the header section, or both 0; likewise of the delivery annotations. */
  def headerStart: Int = firstHeader
  def headerEnd: Int = lastHeader
  def deliveryAnnotationsStart: Int = firstDelivery
  def deliveryAnnotationsEnd: Int = lastDelivery

  /** Start of everything after the annotations, which is kept unchanged. */
  def bareMessageStart: Int = bareStart
  def bareMessageEnd: Int = bareEnd

  /** Calls `entry(key, valueStart, entryStart, entryEnd)` for each message annotation. */
  def foreachAnnotation(entry: (String, Int, Int, Int) => Unit): Unit = if (annotationsValue >= 0) {
    val (first, elements) = EncodedValue.mapContent(bytes, annotationsValue, limit)
    var at = first
    var left = elements
    while (left > 0) {
      val value = EncodedValue.end(bytes, at, limit)
      val end = EncodedValue.end(bytes, value, limit)
      val key = bytes(at) & 0xff match {
        case 0xa1 | 0xa3 | 0xb1 | 0xb3 =>
          val name = EncodedValue.variable(bytes, at, limit)
          new String(bytes, name.start, name.length, US_ASCII)
        case _ => ""
      }
      entry(key, value, at, end)
      at = end
      left -= 2
    }
  }
}
