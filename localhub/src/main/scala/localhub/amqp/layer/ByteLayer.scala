package localhub.amqp.layer

import java.nio.ByteBuffer

import localhub.amqp.engine.FrameBuffer

/** Takes bytes: all that is complete, and leaves the rest in the buffer, to be offered again with more behind it. */
private[amqp] trait ByteSink {
  def accept(in: ByteBuffer): Unit
}

/** Something between the socket and AMQP: takes its peer's bytes, and hands what is in them to the sink above. */
private[amqp] trait ByteLayer extends ByteSink {

  /** Wraps what the layer above sends, which may be nothing, after what the layer itself has to say. */
  def wrap(plain: ByteBuffer, out: FrameBuffer): Unit

  /** Whether the connection is to be closed once everything is written. */
  def isFinished: Boolean
}

/** The bytes on their way to a sink: what it left last time comes first. The buffer belongs to the I/O thread. */
private[amqp] final class Inflow(buffer: ByteBuffer, sink: ByteSink) {
  private var rest = Inflow.NoBytes

  /** Lets `fill` append to the buffer, then offers everything to the sink. */
  def pour[A](fill: ByteBuffer => A): A = {
    buffer.clear()
    buffer.put(rest.duplicate())
    val result = fill(buffer)
    buffer.flip()
    sink.accept(buffer)
    rest = if (buffer.hasRemaining) ByteBuffer.allocate(buffer.remaining).put(buffer).flip() else Inflow.NoBytes
    result
  }
}

private object Inflow {
  val NoBytes: ByteBuffer = ByteBuffer.allocate(0)
}
