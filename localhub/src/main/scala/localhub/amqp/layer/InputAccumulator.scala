package localhub.amqp.layer

import java.nio.ByteBuffer

/** Input for a sink: the bytes that it left last time come first. The buffer belongs to the I/O thread. */
private[amqp] final class InputAccumulator(buffer: ByteBuffer, sink: ByteSink) {
  private var rest = InputAccumulator.NoBytes

  /** Calls `fill` to append to the buffer, then offers everything to the sink. */
  def feed[A](fill: ByteBuffer => A): A = {
    buffer.clear()
    buffer.put(rest.duplicate())
    val result = fill(buffer)
    buffer.flip()
    sink.accept(buffer)
    rest =
      if (buffer.hasRemaining) ByteBuffer.allocate(buffer.remaining).put(buffer).flip() else InputAccumulator.NoBytes
    result
  }
}

private object InputAccumulator {
  val NoBytes: ByteBuffer = ByteBuffer.allocate(0)
}
