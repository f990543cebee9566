package localhub.amqp.layer

import java.nio.ByteBuffer

import localhub.amqp.engine.FrameBuffer

/**
 * The layers of one connection, chosen by its first byte: every port accepts AMQP, HTTP requests, which may open
 * WebSockets, and, with a certificate, both over TLS.
 */
private[amqp] final class LayerStack(
    buffers: LayerBuffers,
    tls: Option[TlsIdentity],
    service: HttpService,
    amqp: ByteSink
) extends ByteSink {
  import LayerStack._

  private var encryption = Option.empty[TlsLayer]
  private var webSocket = Option.empty[WebSocketLayer]
  private var firstLayer = Option.empty[ByteSink]

  def isFinished: Boolean = encryption.exists(_.isFinished) || webSocket.exists(_.isFinished)

  override def accept(in: ByteBuffer): Unit = {
    if (firstLayer.isEmpty && in.hasRemaining) firstLayer = Some(choose(in, tls))
    firstLayer.foreach(_.accept(in))
  }

  /** The bytes to write to the socket for these frames. */
  def wrap(frames: ByteBuffer): ByteBuffer = {
    val framed = webSocket.fold(frames)(through(_, frames, buffers.framed))
    encryption.fold(framed)(through(_, framed, buffers.encrypted))
  }

  /** Called when the connection is closed. */
  def clear(): Unit = {
    webSocket.foreach(_.close())
    buffers.framed.clear()
    buffers.encrypted.clear()
  }

  private def through(layer: ByteLayer, plain: ByteBuffer, out: FrameBuffer): ByteBuffer = {
    out.clear()
    layer.wrap(plain, out)
    out.written
  }

  private def choose(in: ByteBuffer, tls: Option[TlsIdentity]): ByteSink = (in.get(in.position()), tls) match {
    case (TlsHandshake, Some(identity)) =>
      // The first decrypted byte decides again.
      var inner = Option.empty[ByteSink]
      val layer = new TlsLayer(
        identity.newEngine(),
        buffers.decrypted,
        { plain =>
          if (inner.isEmpty && plain.hasRemaining) inner = Some(choose(plain, None))
          inner.foreach(_.accept(plain))
        }
      )
      encryption = Some(layer)
      layer
    case (HttpGet | HttpPutOrPost, _) =>
      val layer = new WebSocketLayer(buffers.unframed, service, if (encryption.isEmpty) "http" else "https", amqp)
      webSocket = Some(layer)
      layer
    case _ => amqp
  }
}

private object LayerStack {
  val TlsHandshake: Byte = 0x16
  val HttpGet: Byte = 'G'
  val HttpPutOrPost: Byte = 'P'
}
