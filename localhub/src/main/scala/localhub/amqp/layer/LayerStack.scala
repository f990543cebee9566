package localhub.amqp.layer

import java.nio.ByteBuffer

import localhub.amqp.engine.FrameBuffer

/** Buffers of one I/O thread for what layers make of the bytes, shared by its connections like [[localhub.amqp.LoopTools]]. */
private[amqp] final class LayerTools {
  val decrypted: ByteBuffer = ByteBuffer.allocateDirect(LayerTools.Capacity)
  val unframed: ByteBuffer = ByteBuffer.allocateDirect(LayerTools.Capacity)
  val framed = new FrameBuffer(LayerTools.Capacity)
  val encrypted = new FrameBuffer(LayerTools.Capacity)
}

private object LayerTools {
  val Capacity: Int = 256 * 1024
}

/**
 * The layers of one connection. Its first byte tells which there are: every port speaks AMQP, WebSockets, and, with a
 * certificate, either of them over TLS.
 */
private[amqp] final class LayerStack(tools: LayerTools, tls: Option[TlsIdentity], amqp: ByteSink) extends ByteSink {
  import LayerStack._

  private var encryption = Option.empty[TlsLayer]
  private var webSocket = Option.empty[WebSocketLayer]
  private var entrance = Option.empty[ByteSink]

  def isFinished: Boolean = encryption.exists(_.isFinished) || webSocket.exists(_.isFinished)

  override def accept(in: ByteBuffer): Unit = {
    if (entrance.isEmpty && in.hasRemaining) entrance = Some(choose(in, tls))
    entrance.foreach(_.accept(in))
  }

  /** What the socket has to be given for these frames. */
  def wrap(frames: ByteBuffer): ByteBuffer = {
    val framed = webSocket.fold(frames)(through(_, frames, tools.framed))
    encryption.fold(framed)(through(_, framed, tools.encrypted))
  }

  def clear(): Unit = {
    tools.framed.clear()
    tools.encrypted.clear()
  }

  private def through(layer: ByteLayer, plain: ByteBuffer, out: FrameBuffer): ByteBuffer = {
    out.clear()
    layer.wrap(plain, out)
    out.written
  }

  private def choose(in: ByteBuffer, tls: Option[TlsIdentity]): ByteSink = (in.get(in.position()), tls) match {
    case (TlsHandshake, Some(identity)) =>
      // The decision is taken again for what comes out of the encryption.
      var inner = Option.empty[ByteSink]
      val layer = new TlsLayer(
        identity.newEngine(),
        tools.decrypted,
        { plain =>
          if (inner.isEmpty && plain.hasRemaining) inner = Some(choose(plain, None))
          inner.foreach(_.accept(plain))
        }
      )
      encryption = Some(layer)
      layer
    case (HttpGet, _) =>
      val layer = new WebSocketLayer(tools.unframed, amqp)
      webSocket = Some(layer)
      layer
    case _ => amqp
  }
}

private object LayerStack {
  val TlsHandshake: Byte = 0x16
  val HttpGet: Byte = 'G'
}
