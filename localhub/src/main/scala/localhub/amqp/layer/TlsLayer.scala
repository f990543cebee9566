package localhub.amqp.layer

import java.nio.ByteBuffer
import javax.net.ssl.SSLEngine
import javax.net.ssl.SSLEngineResult.{HandshakeStatus, Status}

import localhub.amqp.engine.FrameBuffer

/** TLS with the JDK's engine. A handshake takes about a millisecond, so it runs on the I/O thread. */
private[amqp] final class TlsLayer(engine: SSLEngine, decrypted: ByteBuffer, above: ByteSink) extends ByteLayer {

  private val plainBytes = new InputAccumulator(decrypted, above)
  private var ownOutput = Vector.empty[ByteBuffer]

  override def isFinished: Boolean = engine.isInboundDone || engine.isOutboundDone

  override def accept(in: ByteBuffer): Unit = {
    var goesOn = true
    while (goesOn && !engine.isInboundDone)
      engine.getHandshakeStatus match {
        case HandshakeStatus.NEED_TASK => Option(engine.getDelegatedTask).foreach(_.run())
        case HandshakeStatus.NEED_WRAP =>
          val record = newRecord()
          engine.wrap(TlsLayer.NoBytes.duplicate(), record)
          ownOutput :+= record.flip()
        case _ =>
          val result = plainBytes.feed(engine.unwrap(in, _))
          goesOn = result.getStatus == Status.OK && (result.bytesConsumed > 0 || isHandshaking)
      }
    if (engine.isInboundDone) { in.position(in.limit()); () }
  }

  override def wrap(plain: ByteBuffer, out: FrameBuffer): Unit = {
    ownOutput.foreach(out.put)
    ownOutput = Vector.empty
    if (plain.hasRemaining) {
      val record = newRecord()
      var goesOn = true
      while (goesOn && plain.hasRemaining) {
        record.clear()
        val result = engine.wrap(plain, record)
        out.put(record.flip())
        // Before the end of the handshake nothing can be sent; at that point it could only be a close.
        goesOn = result.bytesConsumed > 0
      }
    }
  }

  private def isHandshaking: Boolean = engine.getHandshakeStatus match {
    case HandshakeStatus.NEED_TASK | HandshakeStatus.NEED_WRAP => true
    case _ => false
  }

  private def newRecord(): ByteBuffer = ByteBuffer.allocate(engine.getSession.getPacketBufferSize)
}

private object TlsLayer {
  val NoBytes: ByteBuffer = ByteBuffer.allocate(0)
}
