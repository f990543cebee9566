package localhub.amqp.connection

import java.nio.ByteBuffer

import localhub.amqp.engine.{FrameBuffer, FrameDecoder, PerformativeEncoder, SaslServer}
import localhub.amqp.layer.LayerBuffers

/**
 * Buffers and codecs of one I/O thread, shared by its connections. They are empty between two calls, so that an idle
 * connection needs no buffer.
 */
private[amqp] final class LoopResources {
  val input: ByteBuffer = ByteBuffer.allocateDirect(LoopResources.InputCapacity)
  val output = new FrameBuffer(LoopResources.OutputCapacity)
  val performatives = new PerformativeEncoder(output)
  val decoder = new FrameDecoder
  val sasl = new SaslServer(output)
  val layers = new LayerBuffers
}

private object LoopResources {
  val InputCapacity: Int = 256 * 1024
  val OutputCapacity: Int = 512 * 1024
}
