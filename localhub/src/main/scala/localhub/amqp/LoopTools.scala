package localhub.amqp

import java.nio.ByteBuffer

import localhub.amqp.engine.{FrameBuffer, FrameDecoder, FullPerformatives, SaslServer}
import localhub.amqp.layer.LayerTools

/**
 * Buffers and codecs of one I/O thread, shared by its connections: each turn of a connection leaves them empty, so a
 * connection without traffic holds none of them.
 */
private[amqp] final class LoopTools {
  val input: ByteBuffer = ByteBuffer.allocateDirect(LoopTools.InputCapacity)
  val output = new FrameBuffer(LoopTools.OutputCapacity)
  val performatives = new FullPerformatives(output)
  val decoder = new FrameDecoder
  val sasl = new SaslServer(output)
  val layers = new LayerTools
}

private object LoopTools {
  val InputCapacity: Int = 256 * 1024
  val OutputCapacity: Int = 512 * 1024
}
