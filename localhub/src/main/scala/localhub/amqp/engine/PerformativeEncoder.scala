package localhub.amqp.engine

import org.apache.qpid.proton.amqp.messaging.Rejected
import org.apache.qpid.proton.amqp.transport._
import org.apache.qpid.proton.amqp.{UnsignedByte, UnsignedInteger}
import org.apache.qpid.proton.codec.{AMQPDefinedTypes, DecoderImpl, EncoderImpl}

/**
 * Writes performatives with every field, unset fields as null. The specification allows trailing nulls to be left out
 * and proton-j does so, but the Python SDK reads fields by position and ignores the count.
 */
private[localhub] final class PerformativeEncoder(val out: FrameBuffer) {
  import PerformativeEncoder._

  private val encoder = new EncoderImpl(new DecoderImpl)
  AMQPDefinedTypes.registerAllTypes(encoder.getDecoder, encoder)
  encoder.setByteBuffer(out)

  def write(body: FrameBody): Unit = body match {
    case transfer: Transfer => writeTransfer(transfer)
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
        flow.getAvailable,
        flag(flow.getDrain),
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

  /** Written by hand because there is one per event: no state, and the delivery id as the tag. */
  private def writeTransfer(transfer: Transfer): Unit = {
    out.ensureRemaining(64)
    descriptor(0x14)
    val start = out.position
    out.put(List32)
    out.putInt(0)
    out.putInt(11)
    writeUInt(transfer.getHandle.intValue)
    val deliveryId = transfer.getDeliveryId.intValue
    writeUInt(deliveryId)
    out.put(Binary8)
    out.put(4.toByte)
    out.putInt(deliveryId)
    writeUInt(transfer.getMessageFormat.intValue)
    writeFlag(transfer.getSettled)
    writeFlag(transfer.getMore)
    out.put(Null)
    out.put(Null)
    writeFlag(false)
    writeFlag(false)
    writeFlag(false)
    out.putIntAt(start + 1, out.position - start - 5)
  }

  private def composite(code: Int)(fields: AnyRef*): Unit = {
    descriptor(code)
    val start = out.position
    out.put(List32)
    out.putInt(0)
    out.putInt(fields.length)
    fields.foreach {
      case error: ErrorCondition => composite(0x1d)(error.getCondition, error.getDescription, error.getInfo)
      // The Python SDK reads the error of an outcome by position too.
      case rejected: Rejected => composite(0x25)(rejected.getError)
      case value => encoder.writeObject(value)
    }
    out.putIntAt(start + 1, out.position - start - 5)
  }

  private def descriptor(code: Int): Unit = {
    out.put(0.toByte)
    out.put(SmallULong)
    out.put(code.toByte)
  }

  private def writeUInt(value: Int): Unit = {
    out.put(UInt)
    out.putInt(value)
  }

  private def writeFlag(value: Boolean): Unit = out.put(if (value) True else False)
}

private[localhub] object PerformativeEncoder {
  private val Null = 0x40.toByte
  private val True = 0x41.toByte
  private val False = 0x42.toByte
  private val SmallULong = 0x53.toByte
  private val UInt = 0x70.toByte
  private val Binary8 = 0xa0.toByte
  private val List32 = 0xd0.toByte

  private def flag(value: Boolean): AnyRef = java.lang.Boolean.valueOf(value)
  private def ubyte(mode: SenderSettleMode): AnyRef = Option(mode).map(_.getValue: UnsignedByte).orNull
  private def ubyte(mode: ReceiverSettleMode): AnyRef = Option(mode).map(_.getValue: UnsignedByte).orNull
}
