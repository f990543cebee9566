package localhub.amqp.engine

import org.apache.qpid.proton.amqp.messaging.Rejected
import org.apache.qpid.proton.amqp.transport._
import org.apache.qpid.proton.amqp.{UnsignedByte, UnsignedInteger}
import org.apache.qpid.proton.codec.{AMQPDefinedTypes, DecoderImpl, EncoderImpl}

/**
 * Writes performatives as the service does: with every field, unset fields as null, and in the shortest encoding. The
 * specification allows trailing nulls to be left out and proton-j does so, but the Python SDK reads fields by position
 * and ignores the count.
 */
private[localhub] final class PerformativeEncoder(val out: FrameBuffer) {
  import PerformativeEncoder._

  private val encoder = new EncoderImpl(new DecoderImpl)
  AMQPDefinedTypes.registerAllTypes(encoder.getDecoder, encoder)
  encoder.setByteBuffer(out)

  def write(body: FrameBody): Unit = body match {
    case transfer: Transfer => writeTransfer(transfer, isFirst = true)
    case open: Open =>
      composite(0x10)(
        open.getContainerId,
        open.getHostname,
        open.getMaxFrameSize,
        open.getChannelMax,
        open.getIdleTimeOut,
        open.getOutgoingLocales,
        open.getIncomingLocales,
        open.getOfferedCapabilities,
        open.getDesiredCapabilities,
        open.getProperties
      )
    case begin: Begin =>
      composite(0x11)(
        begin.getRemoteChannel,
        begin.getNextOutgoingId,
        begin.getIncomingWindow,
        begin.getOutgoingWindow,
        UnsignedInteger.valueOf(HandleMax),
        begin.getOfferedCapabilities,
        begin.getDesiredCapabilities,
        begin.getProperties
      )
    // A refused link. Not even the initial delivery count is set, against the specification.
    case attach: Attach if attach.getSource == null && attach.getTarget == null =>
      composite(0x12)(
        Seq(attach.getName, attach.getHandle, flag(attach.getRole == Role.RECEIVER)) ++ Seq.fill(11)(NullField): _*
      )
    case attach: Attach =>
      composite(0x12)(
        attach.getName,
        attach.getHandle,
        flag(attach.getRole == Role.RECEIVER),
        ubyte(attach.getSndSettleMode),
        ubyte(attach.getRcvSettleMode),
        attach.getSource,
        attach.getTarget,
        attach.getUnsettled,
        flag(attach.getIncompleteUnsettled),
        attach.getInitialDeliveryCount,
        attach.getMaxMessageSize,
        attach.getOfferedCapabilities,
        attach.getDesiredCapabilities,
        attach.getProperties
      )
    case flow: Flow =>
      composite(0x13)(
        flow.getNextIncomingId,
        flow.getIncomingWindow,
        flow.getNextOutgoingId,
        flow.getOutgoingWindow,
        flow.getHandle,
        flow.getDeliveryCount,
        flow.getLinkCredit,
        // As the service writes a flow of a link.
        if (flow.getHandle == null) flow.getAvailable else UnsignedInteger.ZERO,
        if (flow.getDrain) flag(true) else NullField,
        flag(flow.getEcho),
        flow.getProperties
      )
    case disposition: Disposition =>
      composite(0x15)(
        flag(disposition.getRole == Role.RECEIVER),
        disposition.getFirst,
        disposition.getLast,
        flag(disposition.getSettled),
        disposition.getState,
        flag(disposition.getBatchable)
      )
    case detach: Detach => composite(0x16)(detach.getHandle, flag(detach.getClosed), detach.getError)
    case end: End => composite(0x17)(end.getError)
    case close: Close => composite(0x18)(close.getError)
    case other => throw new IllegalArgumentException(s"not a performative of AMQP 1.0: $other")
  }

  /**
   * Written by hand because there is one per event. As the service does: a settled delivery has an empty tag, and only
   * the first transfer of a delivery has an id, tag, format, settled and batchable.
   */
  def writeTransfer(transfer: Transfer, isFirst: Boolean): Unit = {
    out.ensureRemaining(64)
    descriptor(TransferCode)
    val start = out.position
    out.put(List8)
    out.put(0.toByte)
    out.put(TransferFields.toByte)
    writeUInt(transfer.getHandle.intValue)
    if (isFirst) {
      val deliveryId = transfer.getDeliveryId.intValue
      writeUInt(deliveryId)
      writeTag(deliveryId, transfer.getSettled)
      writeUInt(transfer.getMessageFormat.intValue)
      out.put(if (transfer.getSettled) True else Null)
    } else writeNulls(4)
    out.put(if (transfer.getMore) True else False)
    writeNulls(2)
    out.put(False)
    out.put(False)
    out.put(if (isFirst) True else Null)
    out.putByteAt(start + 1, out.position - start - 2)
  }

  // A delivery that the peer settles needs a tag of its own.
  private def writeTag(deliveryId: Int, isSettled: Boolean): Unit = {
    out.put(Binary8)
    if (isSettled) out.put(0.toByte)
    else {
      out.put(4.toByte)
      out.putInt(deliveryId)
    }
  }

  private def writeNulls(count: Int): Unit = {
    var left = count
    while (left > 0) {
      out.put(Null)
      left -= 1
    }
  }

  private def composite(code: Int)(fields: AnyRef*): Unit = {
    descriptor(code)
    val start = out.position
    out.put(List8)
    out.put(0.toByte)
    out.put(fields.length.toByte)
    fields.foreach {
      case error: ErrorCondition => composite(0x1d)(error.getCondition, error.getDescription, error.getInfo)
      // The Python SDK reads the error of an outcome by position too.
      case rejected: Rejected => composite(0x25)(rejected.getError)
      case value => encoder.writeObject(value)
    }
    complete(start, fields.length)
  }

  /** Completes the list that begins at `start`: as list32 if it is too long for a list8. */
  private def complete(start: Int, count: Int): Unit = {
    val content = out.position - start - ShortListHead
    if (content + 1 <= MaxByte) out.putByteAt(start + 1, content + 1)
    else {
      out.insertBytes(start + ShortListHead, LongListHead - ShortListHead)
      out.putByteAt(start, List32.toInt)
      out.putIntAt(start + 1, content + 4)
      out.putIntAt(start + 5, count)
    }
  }

  private def descriptor(code: Int): Unit = {
    out.put(0.toByte)
    out.put(SmallULong)
    out.put(code.toByte)
  }

  private def writeUInt(value: Int): Unit =
    if (value == 0) out.put(UInt0)
    else if (value > 0 && value <= MaxByte) {
      out.put(SmallUInt)
      out.put(value.toByte)
    } else {
      out.put(UInt)
      out.putInt(value)
    }
}

private[localhub] object PerformativeEncoder {
  private val Null = 0x40.toByte
  private val True = 0x41.toByte
  private val False = 0x42.toByte
  private val SmallULong = 0x53.toByte
  private val UInt0 = 0x43.toByte
  private val SmallUInt = 0x52.toByte
  private val UInt = 0x70.toByte
  private val Binary8 = 0xa0.toByte
  private val List8 = 0xc0.toByte
  private val List32 = 0xd0.toByte
  private val MaxByte = 255

  /** Constructor, size and count. */
  private val ShortListHead = 3
  private val LongListHead = 9

  private val TransferCode = 0x14
  private val TransferFields = 11

  private val NullField: AnyRef = Option.empty[AnyRef].orNull

  private def flag(value: Boolean): AnyRef = java.lang.Boolean.valueOf(value)
  private def ubyte(mode: SenderSettleMode): AnyRef = Option(mode).map(_.getValue: UnsignedByte).orNull
  private def ubyte(mode: ReceiverSettleMode): AnyRef = Option(mode).map(_.getValue: UnsignedByte).orNull
}
