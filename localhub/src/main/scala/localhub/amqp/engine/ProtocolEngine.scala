package localhub.amqp.engine

import java.nio.ByteBuffer

import scala.collection.mutable

import org.apache.qpid.proton.amqp.transport.{Attach, Begin, Detach, Disposition, End, Flow, FrameBody, Transfer}
import org.apache.qpid.proton.amqp.{Binary, UnsignedInteger}
import org.apache.qpid.proton.codec.ReadableBuffer
import org.apache.qpid.proton.engine.Session
import org.apache.qpid.proton.engine.impl.TransportImpl
import org.apache.qpid.proton.framing.TransportFrame

/** Hears of frames for which proton-j has no event. */
private[amqp] trait ProtocolObserver {

  /** A session's window may be open again. */
  def onFlow(): Unit

  /** A frame names a link that the session does not have. */
  def onUnattachedHandle(session: Session, handle: Long): Unit

  /** A link was to be attached with a handle above [[HandleMax]]. */
  def onHandleBeyondMax(session: Session): Unit
}

/**
 * proton-j's protocol state (connection, sessions, links, windows, credit) without its input and output. Frames arrive
 * decoded and leave through [[PerformativeEncoder]] directly into the connection's [[FrameBuffer]].
 */
private[amqp] final class ProtocolEngine(performatives: PerformativeEncoder, observer: ProtocolObserver)
    extends TransportImpl {

  private val out = performatives.out
  private val channels = mutable.Set.empty[Integer]
  private val continued = new ContinuedDeliveries
  private val windows = new AnnouncedWindows
  private val attached = new AttachedHandles

  /** Channels, and handles, of flows to be answered. */
  private val echoes = mutable.LinkedHashSet.empty[(Integer, Option[UnsignedInteger])]

  setEmitFlowEventOnSend(false)

  def receive(channel: Int, body: FrameBody, payload: Option[Binary]): Unit = {
    handleFrame(new TransportFrame(channel, body, payload.orNull))
    ()
  }

  /** Writes frames for changed state: opened links, settled or new deliveries, credit. */
  def produceFrames(): Unit = {
    writeChanges()
    // After the begin of a new session and the attach of a new link.
    if (echoes.nonEmpty) {
      echoes.foreach { case (channel, handle) => TransportSessions.echoFlow(this, channel, handle) }
      echoes.clear()
    }
  }

  private def writeChanges(): Unit = {
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

  /** Whether peers settle deliveries. Otherwise the server settles every delivery when it sends or receives it. */
  var peersSettle: Boolean = false

  override def handleDisposition(disposition: Disposition, payload: Binary, channel: Integer): Unit =
    if (peersSettle) {
      val first = disposition.getFirst.longValue
      val last = Option(disposition.getLast).fold(first)(_.longValue)
      if (last - first > ProtocolEngine.MaxSettledAtOnce)
        throw new FramingException(s"A disposition names the deliveries $first to $last.")
      super.handleDisposition(disposition, payload, channel)
    }

  override def handleBegin(begin: Begin, payload: Binary, channel: Integer): Unit = {
    if (channel > ChannelMax) throw new FramingException(s"Channel $channel was begun; channel-max is $ChannelMax.")
    if (!channels.add(channel)) throw new FramingException(s"Channel $channel has a session already.")
    if (Option(begin.getRemoteChannel).nonEmpty)
      throw new FramingException("A begin answers a session that was not offered.")
    windows.announced(channel, begin.getIncomingWindow)
    super.handleBegin(begin, payload, channel)
  }

  override def handleEnd(end: End, payload: Binary, channel: Integer): Unit = {
    channels -= channel
    attached.removeAll(channel)
    super.handleEnd(end, payload, channel)
  }

  override def handleAttach(attach: Attach, payload: Binary, channel: Integer): Unit = {
    if (!channels.contains(channel))
      throw new FramingException(s"A link was attached on channel $channel, which has no session.")
    if (attach.getHandle.longValue > HandleMax)
      TransportSessions.session(this, channel).foreach(observer.onHandleBeyondMax)
    else {
      attached.add(channel, attach.getHandle)
      super.handleAttach(attach, payload, channel)
    }
  }

  override def handleTransfer(transfer: Transfer, payload: Binary, channel: Integer): Unit =
    if (!isUnattached(channel, transfer.getHandle)) super.handleTransfer(transfer, payload, channel)

  /** A flow may open the session window for links that it does not name. proton reports no event for that. */
  override def handleFlow(flow: Flow, payload: Binary, channel: Integer): Unit = {
    val handle = Option(flow.getHandle)
    if (!handle.exists(isUnattached(channel, _))) {
      super.handleFlow(flow, payload, channel)
      if (flow.getEcho) { echoes += channel -> handle; () }
      observer.onFlow()
    }
  }

  override def handleDetach(detach: Detach, payload: Binary, channel: Integer): Unit = {
    attached.remove(channel, detach.getHandle)
    super.handleDetach(detach, payload, channel)
  }

  private def isUnattached(channel: Integer, handle: UnsignedInteger): Boolean =
    !attached.contains(channel, handle) && {
      val session = TransportSessions.session(this, channel)
      session.foreach(observer.onUnattachedHandle(_, handle.longValue))
      session.nonEmpty
    }

  override protected def writeFrame(
      channel: Int,
      body: FrameBody,
      payload: ReadableBuffer,
      onPayloadTooLarge: Runnable
  ): Unit = {
    val start = out.position
    windows.fillIn(channel, body)
    writeHeaderAndPerformative(channel, body)
    if (payload ne ProtocolEngine.NoPayload) {
      if (out.position - start + payload.remaining > frameLimit) {
        // This sets more=true in the performative, so it is written again.
        onPayloadTooLarge.run()
        out.position(start)
        writeHeaderAndPerformative(channel, body)
      }
      putUpTo(frameLimit - (out.position - start), payload)
    }
    body match {
      case transfer: Transfer => continued.sent(channel, transfer)
      case _ => ()
    }
    out.putIntAt(start, out.position - start)
  }

  private def writeHeaderAndPerformative(channel: Int, body: FrameBody): Unit = {
    out.putInt(0)
    out.putInt(AmqpFrame | channel)
    body match {
      case transfer: Transfer => performatives.writeTransfer(transfer, !continued.contains(channel, transfer))
      case other => performatives.write(other)
    }
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

  /** proton-j looks at each delivery of the range, which a hostile peer could make endless. */
  private val MaxSettledAtOnce = 100000L

  private val NoPayload = Option.empty[ReadableBuffer].orNull

  /** proton writes only the protocol header here, which the connection has already sent. */
  private def unusedOutput: ByteBuffer = ByteBuffer.allocate(8)
}
