package localhub.amqp.layer

import java.nio.ByteBuffer

import localhub.amqp.engine.FrameBuffer

/** Buffers of one I/O thread for the output of layers, shared by its connections. */
private[amqp] final class LayerBuffers {
  val decrypted: ByteBuffer = ByteBuffer.allocateDirect(LayerBuffers.Capacity)
  val unframed: ByteBuffer = ByteBuffer.allocateDirect(LayerBuffers.Capacity)
  val framed = new FrameBuffer(LayerBuffers.Capacity)
  val encrypted = new FrameBuffer(LayerBuffers.Capacity)
}

private object LayerBuffers {
  val Capacity: Int = 256 * 1024
}
