package localhub.amqp.engine

import java.nio.ByteBuffer

import org.apache.qpid.proton.amqp.Binary
import org.apache.qpid.proton.amqp.security.SaslFrameBody
import org.apache.qpid.proton.amqp.transport.FrameBody
import org.apache.qpid.proton.codec.{AMQPDefinedTypes, DecoderImpl, EncoderImpl}

/** Receives the protocol headers and frames of a connection. */
private[amqp] trait FrameReceiver {

  /** @param protocol third part of the header: 0 AMQP, 2 TLS, 3 SASL */
  def onProtocolHeader(protocol: Int): Unit
  def onSaslFrame(body: SaslFrameBody): Unit
  def onFrame(channel: Int, body: FrameBody, payload: Option[Binary]): Unit
}

/** The peer broke the framing rules; the connection must be closed. */
private[amqp] final class FramingException(message: String) extends RuntimeException(message)

/** Splits bytes into protocol headers and frames. Has no state, so connections of one thread can share it. */
private[amqp] final class FrameDecoder {
  import FrameDecoder._

  private val decoder = new DecoderImpl
  AMQPDefinedTypes.registerAllTypes(decoder, new EncoderImpl(decoder))

  /** Passes one complete header or frame to `receiver`; false when `in` does not have a complete one yet. */
  def decodeOne(in: ByteBuffer, expectHeader: Boolean, receiver: FrameReceiver): Boolean =
    if (in.remaining < FrameHeaderSize) false
    else if (expectHeader) decodeHeader(in, receiver)
    else {
      val size = in.getInt(in.position())
      if (size < FrameHeaderSize || size > MaxFrameSize)
        throw new FramingException(s"A frame of $size bytes was announced; expected $FrameHeaderSize to $MaxFrameSize.")
      if (in.remaining < size) false
      else {
        val end = in.position() + size
        val limit = in.limit()
        in.limit(end)
        decodeFrame(in, receiver)
        in.limit(limit).position(end)
        true
      }
    }

  private def decodeHeader(in: ByteBuffer, receiver: FrameReceiver): Boolean = {
    if (in.getInt() != Magic) throw new FramingException("The first bytes are not an AMQP protocol header.")
    val protocol = in.get().toInt
    if ((in.get(), in.get(), in.get()) != Version) throw new FramingException("Only AMQP 1.0.0 is spoken here.")
    receiver.onProtocolHeader(protocol)
    true
  }

  private def decodeFrame(in: ByteBuffer, receiver: FrameReceiver): Unit = {
    val start = in.position()
    val dataOffset = (in.get(start + 4) & 0xff) * 4
    val frameType = in.get(start + 5) & 0xff
    val channel = in.getShort(start + 6) & 0xffff
    if (dataOffset < FrameHeaderSize || start + dataOffset > in.limit())
      throw new FramingException(s"A frame's data offset of $dataOffset bytes lies outside of the frame.")
    in.position(start + dataOffset)
    if (in.hasRemaining) {
      decoder.setByteBuffer(in)
      (frameType, decoder.readObject()) match {
        case (0, body: FrameBody) => receiver.onFrame(channel, body, remainingBytes(in))
        case (1, body: SaslFrameBody) => receiver.onSaslFrame(body)
        case (kind, _) =>
          throw new FramingException(s"A frame of type $kind does not hold a performative of that type.")
      }
    }
  }

  private def remainingBytes(in: ByteBuffer): Option[Binary] =
    if (!in.hasRemaining) None
    else {
      val bytes = new Array[Byte](in.remaining)
      in.get(bytes)
      Some(new Binary(bytes))
    }
}

private object FrameDecoder {
  private val Magic = 0x414d5150 // "AMQP"
  private val Version = (1.toByte, 0.toByte, 0.toByte)
}
