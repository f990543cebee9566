package localhub.amqp.link

import org.apache.qpid.proton.engine.{Delivery, Receiver}

/** The state of a delivery that arrives in frames. */
private[amqp] sealed trait IncomingMessage

private[amqp] object IncomingMessage {

  /** More frames follow. */
  case object Incomplete extends IncomingMessage

  /** The peer aborted it, or it arrived after the link was closed. */
  case object Discarded extends IncomingMessage

  /** It is far over the limit and still arrives. Its link has to end, because it may never be complete. */
  final case class Endless(size: Long) extends IncomingMessage

  /** A delivery may have this many times the limit; the sender is refused when it is complete. */
  private[link] val Patience = 16

  /** It is complete; its bytes are dropped; it is not settled. */
  final case class TooLarge(size: Long) extends IncomingMessage
  final case class Complete(bytes: Array[Byte], format: Int) extends IncomingMessage

  /**
   * Drops the bytes, so that a peer that continues to send does not fill the memory. The peer hears nothing of it: many
   * SDKs take every disposition without a rejection for success.
   */
  def discard(delivery: Delivery): Unit = delivery.getLink match {
    case receiver: Receiver if delivery.isReadable =>
      receiver.recv()
      if (!delivery.isPartial) finish(receiver, delivery)
    case _ => ()
  }

  // Only a complete delivery may be settled: the engine needs it for its next frame.
  private[link] def finish(receiver: Receiver, delivery: Delivery): Unit = {
    receiver.recv()
    receiver.advance()
    DeliveryInternals.settleSilently(delivery)
  }
}

/** Puts the deliveries of one link together. The deliveries of a link come one after the other. */
private[amqp] final class IncomingMessages(maxSize: Long) {
  import IncomingMessage._

  // Bytes of the current delivery that are already dropped, because it is too large.
  private var dropped = 0L

  // Frames of the current delivery: they may be empty.
  private var frames = 0L

  def read(delivery: Delivery): IncomingMessage = delivery.getLink match {
    case receiver: Receiver if delivery.isReadable =>
      val size = dropped + delivery.pending
      frames = if (delivery.isPartial) frames + 1 else 0
      if (delivery.isAborted) {
        dropped = 0
        finish(receiver, delivery)
        Discarded
      } else if (size > maxSize) {
        receiver.recv()
        if (delivery.isPartial) {
          dropped = size
          if (size / Patience > maxSize) Endless(size) else Incomplete
        } else {
          dropped = 0
          receiver.advance()
          TooLarge(size)
        }
      } else if (delivery.isPartial) if (frames > maxSize) Endless(size) else Incomplete
      else {
        val bytes = new Array[Byte](size.toInt)
        receiver.recv(bytes, 0, bytes.length)
        receiver.advance()
        Complete(bytes, delivery.getMessageFormat)
      }
    case _ => Discarded
  }
}
