package localhub.amqp.engine

import java.nio.ByteBuffer

import scala.collection.mutable

import org.apache.qpid.proton.amqp.Binary
import org.apache.qpid.proton.amqp.transport.{Attach, Begin, Disposition, End, Flow, FrameBody}
import org.apache.qpid.proton.codec.ReadableBuffer
import org.apache.qpid.proton.engine.impl.TransportImpl
import org.apache.qpid.proton.framing.TransportFrame

/**
 * proton-j's protocol state (connection, sessions, links, windows, credit) without its input and output. Frames arrive
 * decoded and leave through [[PerformativeEncoder]] directly into the connection's [[FrameBuffer]].
 */
private[amqp] final class ProtocolEngine(performatives: PerformativeEncoder, onFlow: () => Unit) extends TransportImpl {

  private val out = performatives.out
  private val channels = mutable.Set.empty[Integer]

  setEmitFlowEventOnSend(false)

  def receive(channel: Int, body: FrameBody, payload: Option[Binary]): Unit = {
    handleFrame(new TransportFrame(channel, body, payload.orNull))
    ()
  }

  /** Writes frames for changed state: opened links, settled or new deliveries, credit. */
  def produceFrames(): Unit = {
    // One pass writes at most two frames of a delivery, so a large delivery takes several passes.
    var before = -1
    while (out.position > before) {
      before = out.position
      writeInto(ProtocolEngine.unusedOutput)
    }
  }

  def writeHeartbeat(): Unit = {
    out.putInt(FrameHeaderSize)
    out.putInt(AmqpFrame)
  }

  /** Ignored: the server settles every delivery when it sends or receives it. */
  override def handleDisposition(disposition: Disposition, payload: Binary, channel: Integer): Unit = ()

  override def handleBegin(begin: Begin, payload: Binary, channel: Integer): Unit = {
    if (channel > ChannelMax) throw new FramingException(s"Channel $channel was begun; channel-max is $ChannelMax.")
    if (!channels.add(channel)) throw new FramingException(s"Channel $channel has a session already.")
    if (Option(begin.getRemoteChannel).nonEmpty)
      throw new FramingException("A begin answers a session that was not offered.")
    super.handleBegin(begin, payload, channel)
  }

  override def handleEnd(end: End, payload: Binary, channel: Integer): Unit = {
    channels -= channel
    super.handleEnd(end, payload, channel)
  }

  override def handleAttach(attach: Attach, payload: Binary, channel: Integer): Unit = {
    if (!channels.contains(channel))
      throw new FramingException(s"A link was attached on channel $channel, which has no session.")
    if (attach.getHandle.longValue > HandleMax)
      throw new FramingException(s"A link was attached with handle ${attach.getHandle}; handle-max is $HandleMax.")
    super.handleAttach(attach, payload, channel)
  }

  /** A flow may open the session window for links that it does not name. proton reports no event for that. */
  override def handleFlow(flow: Flow, payload: Binary, channel: Integer): Unit = {
    super.handleFlow(flow, payload, channel)
    if (flow.getEcho) FlowEcho.write(this, channel, Option(flow.getHandle))
    onFlow()
  }

  override protected def writeFrame(
      channel: Int,
      body: FrameBody,
      payload: ReadableBuffer,
      onPayloadTooLarge: Runnable
  ): Unit = {
    val start = out.position
    writeHeaderAndPerformative(channel, body)
    Option(payload).foreach { rest =>
      if (out.position - start + rest.remaining > frameLimit) {
        // This sets more=true in the performative, so it is written again.
        onPayloadTooLarge.run()
        out.position(start)
        writeHeaderAndPerformative(channel, body)
      }
      putUpTo(frameLimit - (out.position - start), rest)
    }
    out.putIntAt(start, out.position - start)
  }

  private def writeHeaderAndPerformative(channel: Int, body: FrameBody): Unit = {
    out.putInt(0)
    out.putInt(AmqpFrame | channel)
    performatives.write(body)
  }

  private def putUpTo(count: Int, payload: ReadableBuffer): Unit =
    if (payload.remaining <= count) out.put(payload)
    else {
      val limit = payload.limit
      payload.limit(payload.position + count)
      out.put(payload)
      payload.limit(limit)
      ()
    }

  /** The peer's limit within the allowed range; "unlimited" arrives as a negative number. */
  private def frameLimit: Int = {
    val remote = getRemoteMaxFrameSize
    if (remote <= 0 || remote > MaxFrameSize) MaxFrameSize else math.max(remote, MinMaxFrameSize)
  }
}

private object ProtocolEngine {

  /** proton writes only the protocol header here, which the connection has already sent. */
  private def unusedOutput: ByteBuffer = ByteBuffer.allocate(8)
}
