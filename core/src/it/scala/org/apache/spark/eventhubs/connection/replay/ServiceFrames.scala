package org.apache.spark.eventhubs.connection.replay

import org.apache.spark.eventhubs.connection.replay.AmqpHex._

/** The service's frames as public traces show them, in hexadecimal digits without the frame's header. */
object ServiceFrames {
  private val NoLimit = ulong(BigInt("18446744073709551615"))

  /** Behind every error text of the service. */
  val Tracking: String =
    " TrackingId:3d60f326e78e41dbb2d37a0500541078_G30, SystemTracker:gateway5, Timestamp:2020-05-27T05:01:11"

  val Mechanisms: String = {
    val names = Seq("MSSBCBS", "PLAIN", "ANONYMOUS", "EXTERNAL").map(sym(_).drop(2)).mkString
    described(0x40, list(f"e0${names.length / 2 + 2}%02x04a3$names"))
  }

  val Welcome: String = described(0x44, list(ubyte(0), binary("Welcome!".getBytes)))

  val Open: String = described(
    0x10,
    list(
      str("13e21f49ed504a8899bd50312e8de439_G19"),
      Null,
      "7000010000",
      ushort(4999),
      uint(240000),
      Null,
      Null,
      Null,
      Null,
      Null
    )
  )

  def begin(remoteChannel: Int, window: Long): String = described(
    0x11,
    list(ushort(remoteChannel), uint(1), uint(5000), uint(window), uint(255), Null, Null, Null)
  )

  /** Attaches a link on which the client sends. */
  def attachReceiver(name: String, handle: Long, address: String, maxMessageSize: Option[Long]): String = described(
    0x12,
    list(
      str(name),
      uint(handle),
      True,
      ubyte(0),
      ubyte(0),
      Null,
      terminus(0x29, address, fields = 7),
      Null,
      Null,
      Null,
      maxMessageSize.fold(NoLimit)(size => ulong(BigInt(size))),
      Null,
      Null,
      Null
    )
  )

  /** Attaches a link on which the client receives. Events are settled, whatever it asked for. */
  def attachSender(name: String, handle: Long, address: String, maxMessageSize: Option[Long]): String = described(
    0x12,
    list(
      str(name),
      uint(handle),
      False,
      ubyte(1),
      ubyte(0),
      terminus(0x28, address, fields = 11),
      terminus(0x29, address, fields = 7),
      Null,
      Null,
      uint(0),
      maxMessageSize.fold(NoLimit)(size => ulong(BigInt(size))),
      Null,
      Null,
      Null
    )
  )

  def refusedAttach(name: String, handle: Long, isReceiver: Boolean): String =
    described(0x12, list(Seq(str(name), uint(handle), bool(isReceiver)) ++ Seq.fill(11)(Null): _*))

  private def terminus(code: Int, address: String, fields: Int): String =
    described(code, list(str(address) +: Seq.fill(fields - 1)(Null): _*))

  /** Credit for a client that sends. */
  def flow(handle: Long, credit: Long): String = described(
    0x13,
    list(
      uint(0),
      uint(5000),
      uint(1),
      uint(2147483647),
      uint(handle),
      uint(0),
      uint(credit),
      uint(0),
      Null,
      False,
      Null
    )
  )

  def transfer(handle: Long, deliveryId: Long, more: Boolean): String = described(
    0x14,
    list(uint(handle), uint(deliveryId), "a000", uint(0), True, bool(more), Null, Null, False, False, True)
  )

  /** A further frame of a delivery: only the handle, and whether more follow. */
  def continuation(handle: Long, more: Boolean): String = described(
    0x14,
    list(uint(handle), Null, Null, Null, Null, bool(more), Null, Null, False, False, Null)
  )

  def accepted(deliveryId: Long): String =
    described(0x15, list(True, uint(deliveryId), Null, True, described(0x24, "45"), Null))

  def rejected(deliveryId: Long, condition: String, text: String): String = described(
    0x15,
    list(True, uint(deliveryId), Null, True, described(0x25, list(error(condition, text + Tracking))), Null)
  )

  def detach(handle: Long): String = described(0x16, list(uint(handle), True, Null))

  def detach(handle: Long, condition: String, text: String): String =
    described(0x16, list(uint(handle), True, error(condition, text + Tracking)))

  val End: String = described(0x17, list(Null))

  def end(condition: String, text: String): String = described(0x17, list(error(condition, text + Tracking)))

  val Close: String = described(0x18, list(Null))

  def close(condition: String, text: String): String = described(0x18, list(error(condition, text + Tracking)))

  /** An event with the broker's annotations. */
  def event(sequenceNumber: Long, body: Array[Byte]): String =
    described(
      0x72,
      map(
        sym("x-opt-sequence-number") -> long(sequenceNumber),
        sym("x-opt-offset") -> str(s"${sequenceNumber * 100}"),
        sym("x-opt-enqueued-time") -> timestamp(1600000000000L + sequenceNumber)
      )
    ) + described(0x75, binary(body))

  /** What may come before an event's annotations: a header, and runtime metrics as delivery annotations. */
  val HeaderAndMetrics: String =
    described(0x70, list(True, ubyte(7), Null, False, uint(0))) +
      described(
        0x71,
        map(
          sym("last_enqueued_sequence_number") -> long(4),
          sym("last_enqueued_offset") -> str("400"),
          sym("last_enqueued_time_utc") -> timestamp(1600000000000L),
          sym("runtime_info_retrieval_time_utc") -> timestamp(1600000000000L)
        )
      )

  /** The application properties of a refusal by `\$cbs` or `\$management`. */
  def refusal(status: Int, text: String, condition: Option[String]): Seq[(String, String)] =
    Seq("status-code" -> int(status), "status-description" -> str(text)) ++
      condition.map(name => "error-condition" -> sym(name))

  /** An answer of `\$cbs` or `\$management`. */
  def answer(correlationId: String, to: Option[String], properties: Seq[(String, String)], body: String): String =
    described(0x73, list(Seq(Null, Null, to.fold(Null)(str), Null, Null, correlationId) ++ Seq.fill(7)(Null): _*)) +
      described(0x74, map(properties.map { case (key, value) => str(key) -> value }: _*)) +
      described(0x77, body)
}
