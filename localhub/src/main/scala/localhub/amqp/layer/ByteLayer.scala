package localhub.amqp.layer

import java.nio.ByteBuffer

import localhub.amqp.engine.FrameBuffer

/**
 * Consumes the complete part of the bytes and leaves the rest in the buffer, which is offered again with more bytes.
 */
private[amqp] trait ByteSink {
  def accept(in: ByteBuffer): Unit
}

/** A layer between the socket and AMQP: unwraps the peer's bytes and passes them to the sink above. */
private[amqp] trait ByteLayer extends ByteSink {

  /** Writes the layer's own output, then wraps `plain`, which may be empty. */
  def wrap(plain: ByteBuffer, out: FrameBuffer): Unit

  /** Whether the connection must be closed once everything is written. */
  def isFinished: Boolean
}
