package localhub.amqp.layer

import java.nio.ByteBuffer

import localhub.amqp.engine.{FrameBuffer, FramingException}

/**
 * AMQP in binary WebSocket messages (RFC 6455). AMQP is a stream, so message boundaries have no meaning: a payload is
 * passed on as it arrives, whatever its announced length.
 */
private[amqp] final class WebSocketLayer(
    unframed: ByteBuffer,
    service: HttpService,
    scheme: String,
    above: ByteSink
) extends ByteLayer {
  import WebSocketLayer._

  private val stream = new InputAccumulator(unframed, above)
  private val request = new HttpRequestReader(service, scheme)
  private var ownOutput = Vector.empty[Array[Byte]]
  private var farewell = Array.emptyByteArray
  private var upgraded = false
  private var finished = false
  private var payloadLeft = 0L
  private var mask = 0
  private var maskOffset = 0

  override def isFinished: Boolean = finished

  override def accept(in: ByteBuffer): Unit = {
    if (!upgraded && !finished) upgrade(in)
    if (upgraded) {
      var goesOn = true
      while (goesOn && !finished) goesOn = if (payloadLeft > 0) takePayload(in) else takeHeader(in)
    }
    if (finished) { in.position(in.limit()); () }
  }

  override def wrap(plain: ByteBuffer, out: FrameBuffer): Unit = {
    ownOutput.foreach(bytes => out.put(bytes, 0, bytes.length))
    ownOutput = Vector.empty
    // One message per AMQP frame: the Java SDK has a buffer for one frame.
    while (plain.hasRemaining) {
      val announced = plain.getInt(plain.position())
      val size = if (announced == AmqpHeader) 8 else announced
      writeHeader(out, size)
      val limit = plain.limit()
      plain.limit(plain.position() + size)
      out.put(plain)
      plain.limit(limit)
    }
    out.put(farewell, 0, farewell.length)
    farewell = Array.emptyByteArray
  }

  /** Frees what an incomplete request holds. */
  def close(): Unit = request.close()

  private def upgrade(in: ByteBuffer): Unit = request.read(in).foreach { complete =>
    request.close()
    HttpUpgrade.answer(complete, service) match {
      case HttpUpgrade.Accepted(response) =>
        ownOutput :+= response
        upgraded = true
      case HttpUpgrade.Answered(response) => end(response)
      case HttpUpgrade.Refused(response) => end(response)
    }
  }

  private def end(response: Array[Byte]): Unit = {
    ownOutput :+= response
    finished = true
  }

  private def takePayload(in: ByteBuffer): Boolean = {
    if (in.hasRemaining) stream.feed { out =>
      val count = math.min(math.min(payloadLeft, in.remaining.toLong), out.remaining.toLong).toInt
      unmask(in, out, count)
      payloadLeft -= count
    }
    in.hasRemaining
  }

  /** @return false when the header or the control frame is not complete yet */
  private def takeHeader(in: ByteBuffer): Boolean = {
    val start = in.position()
    if (in.remaining < 2) false
    else {
      val opcode = in.get(start) & 0x0f
      val short = in.get(start + 1) & 0x7f
      if ((in.get(start + 1) & 0x80) == 0) throw new FramingException("A client's WebSocket frames have to be masked.")
      val lengthBytes = if (short == 126) 2 else if (short == 127) 8 else 0
      val control = opcode >= Close
      val headerSize = 2 + lengthBytes + 4
      if (control && short > 125) throw new FramingException("A WebSocket control frame is longer than 125 bytes.")
      if (in.remaining < headerSize + (if (control) short else 0)) false
      else {
        val length = lengthBytes match {
          case 0 => short.toLong
          case 2 => in.getShort(start + 2) & 0xffffL
          case _ => in.getLong(start + 2)
        }
        if (length < 0) throw new FramingException("A WebSocket frame of negative length was announced.")
        mask = in.getInt(start + 2 + lengthBytes)
        maskOffset = 0
        in.position(start + headerSize)
        if (control) takeControl(opcode, in, short) else payloadLeft = length
        true
      }
    }
  }

  private def takeControl(opcode: Int, in: ByteBuffer, length: Int): Unit = {
    val payload = ByteBuffer.allocate(length)
    unmask(in, payload, length)
    opcode match {
      case Ping => ownOutput :+= (Array((0x80 | Pong).toByte, length.toByte) ++ payload.array)
      case Close =>
        farewell = Array((0x80 | Close).toByte, length.toByte) ++ payload.array
        finished = true
      case _ => ()
    }
  }

  private def unmask(in: ByteBuffer, out: ByteBuffer, count: Int): Unit = {
    var left = count
    while (left > 0) {
      if (left >= 4 && maskOffset % 4 == 0) {
        out.putInt(in.getInt() ^ mask)
        left -= 4
      } else {
        out.put((in.get() ^ (mask >>> (24 - 8 * (maskOffset % 4)))).toByte)
        maskOffset += 1
        left -= 1
      }
    }
  }

  private def writeHeader(out: FrameBuffer, size: Int): Unit = {
    out.put((0x80 | Binary).toByte)
    if (size < 126) out.put(size.toByte)
    else if (size < 65536) {
      out.put(126.toByte)
      out.putShort(size.toShort)
    } else {
      out.put(127.toByte)
      out.putLong(size.toLong)
    }
  }
}

private object WebSocketLayer {
  val Binary = 0x2
  val Close = 0x8
  val Ping = 0x9
  val Pong = 0xa

  /** "AMQP" at the position of a frame's size: a protocol header. */
  val AmqpHeader = 0x414d5150
}
