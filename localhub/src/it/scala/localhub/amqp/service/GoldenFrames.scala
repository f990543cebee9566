package localhub.amqp.service

/**
 * Frames in hexadecimal digits, as public traces of the service show them; `..` stands for any byte. The traces are of
 * Event Hubs, or (open) of IoT Hub, which uses the same library.
 */
object GoldenFrames {

  def hex(bytes: Array[Byte]): String = bytes.map(byte => f"${byte & 0xff}%02x").mkString

  def ascii(text: String): String = hex(text.getBytes("US-ASCII"))

  /** Whether the bytes are those of the pattern. */
  def matches(bytes: Array[Byte], pattern: String): Boolean = hex(bytes).matches(pattern.filterNot(_.isWhitespace))

  private def any(count: Int): String = ".." * count

  /** Open: container `<32 hexadecimal digits>_G<n>`, no host name, 65536, 4999, 240000, nothing else. */
  val Open: String = s"005310 c0390a a123 ${any(32)} 5f47.. 40 7000010000 601387 700003a980 4040404040"

  /** Begin for a client with a window of 2048. */
  val Begin: String = "005311 c01508 600000 5201 7000001388 7000000800 52ff 404040"

  /** Detach without an error: 17 bytes with the frame's header. */
  val Detach: String = "005316 c00403 43 41 40"

  /** End without an error: 15 bytes with the frame's header. */
  val End: String = "005317 c00201 40"

  val Close: String = "005318 c00201 40"

  /** Accepted. */
  def accepted(deliveryId: String): String = s"005315 c0..06 41 $deliveryId (..|52..) 41 00532445 42"

  /** The first, or only, transfer of a settled delivery with the id 0. */
  val Transfer: String = "005314 c00d0b 43 43 a000 43 41 42 40 40 42 42 41"

  /** The first transfer of several. */
  val FirstTransfer: String = "005314 c00d0b 43 43 a000 43 41 41 40 40 42 42 41"

  /** A further transfer of the same delivery. */
  val NextTransfer: String = "005314 c00c0b 43 40 40 40 40 41 40 40 42 42 40"
  val LastTransfer: String = "005314 c00c0b 43 40 40 40 40 42 40 40 42 42 40"

  /** Message annotations of an event: sequence number, offset and enqueued time in this order, as map8. */
  def annotations(sequenceNumber: Int, offset: String): String =
    s"005372 c1..06 a315 ${ascii("x-opt-sequence-number")} 81 ${f"$sequenceNumber%016x"} " +
      s"a30c ${ascii("x-opt-offset")} a1${f"${offset.length}%02x"} ${ascii(offset)} " +
      s"a313 ${ascii("x-opt-enqueued-time")} 83 ${any(8)}"

  /** Runtime metrics: delivery annotations before the message annotations. */
  def metrics(sequenceNumber: Int, offset: String): String =
    s"005371 c1..08 a31d ${ascii("last_enqueued_sequence_number")} 81 ${f"$sequenceNumber%016x"} " +
      s"a314 ${ascii("last_enqueued_offset")} a1${f"${offset.length}%02x"} ${ascii(offset)} " +
      s"a316 ${ascii("last_enqueued_time_utc")} 83 ${any(8)} " +
      s"a31f ${ascii("runtime_info_retrieval_time_utc")} 83 ${any(8)}"

  /** The detach of a link on a connection without readers or senders, up to the ids behind the text. */
  def linkTracker(millis: Int): String =
    s"005316 (c0..03|d0........00000003) 43 41 00531d c0..03 a316 ${ascii("amqp:connection:forced")} a1.. " +
      ascii(s"The connection was inactive for more than the allowed $millis milliseconds and is closed by container " +
        "'LinkTracker'. TrackingId:") + ".*40"

  /** The server's attach of a node's link, on which the client sends: settle modes 0 and 0, and no largest message. */
  def attachWithoutLimit(name: String): String =
    s"005312 (c0..0e|d0........0000000e) a1${f"${name.length}%02x"} ${ascii(name)} 43 41 5000 5000 .* " +
      s"80 ${"ff" * 8} 40 40 40"

  /** The rejection of an event that is larger than its link allows, up to the ids behind the text. */
  def oversize(deliveryId: String, size: Int, limit: Int): String =
    s"005315 (c0..06|d0........00000006) 41 $deliveryId .. 41 005325 (c0..01|d0........00000001) 00531d " +
      s"(c0..03|d0........00000003) a31f ${ascii("amqp:link:message-size-exceeded")} a1.. " +
      ascii(s"The received message (delivery-id:0, size:$size bytes) exceeds the limit ($limit bytes) currently " +
        "allowed on the link. TrackingId:") + ".*"

  /** A refused attach: name, handle and role. */
  def refusedAttach(name: String, isReceiver: Boolean): String =
    s"005312 c0..0e a1${f"${name.length}%02x"} ${ascii(name)} 43 ${if (isReceiver) "41" else "42"} ${"40" * 11}"

  /** A flow of a link that the client sends on, with the handle 0. */
  def credit(count: String): String = s"005313 c0..0b 43 7000001388 5201 7000000800 43 43 $count 43 40 42 40"
}
