package localhub.amqp.engine

import java.nio.charset.StandardCharsets.UTF_8

import org.apache.qpid.proton.amqp.security.{SaslCode, SaslFrameBody, SaslInit, SaslMechanisms, SaslOutcome}
import org.apache.qpid.proton.amqp.{Binary, Symbol}
import org.apache.qpid.proton.codec.{AMQPDefinedTypes, DecoderImpl, EncoderImpl}

/**
 * The SASL layer as the service offers it. PLAIN checks a policy's name and key. The other mechanisms accept every
 * client, and put-token decides later.
 */
private[amqp] final class SaslServer(out: FrameBuffer) {

  private val encoder = new EncoderImpl(new DecoderImpl)
  AMQPDefinedTypes.registerAllTypes(encoder.getDecoder, encoder)
  encoder.setByteBuffer(out)

  def writeProtocolHeader(protocol: Int): Unit = {
    out.putInt(0x414d5150)
    out.put(protocol.toByte)
    out.put(1.toByte)
    out.putShort(0)
  }

  def offerMechanisms(): Unit = {
    val offer = new SaslMechanisms
    offer.setSaslServerMechanisms(SaslServer.Mechanisms.map(Symbol.valueOf): _*)
    writeFrame(offer)
  }

  def writeOutcome(accepted: Boolean): Unit = {
    val outcome = new SaslOutcome
    outcome.setCode(if (accepted) SaslCode.OK else SaslCode.AUTH)
    if (accepted) outcome.setAdditionalData(new Binary("Welcome!".getBytes(UTF_8)))
    writeFrame(outcome)
  }

  private def writeFrame(body: SaslFrameBody): Unit = {
    val start = out.position
    out.putInt(0)
    out.putInt(AmqpFrame | (1 << 16))
    encoder.writeObject(body)
    out.putIntAt(start, out.position - start)
  }
}

private[amqp] object SaslServer {
  val Mechanisms: Seq[String] = Seq("MSSBCBS", "PLAIN", "ANONYMOUS", "EXTERNAL")

  /** User and password of a PLAIN response: `authorization NUL user NUL password`. */
  def plainCredentials(init: SaslInit): Option[(String, String)] =
    if (init.getMechanism != Symbol.valueOf("PLAIN")) None
    else
      Option(init.getInitialResponse: Binary).map(r =>
        new String(r.getArray, r.getArrayOffset, r.getLength, "UTF-8").split('\u0000')
      ) match {
        case Some(Array(_, user, password)) => Some((user, password))
        case _ => Some(("", ""))
      }
}
