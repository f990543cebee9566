package localhub.amqp.link

import org.apache.qpid.proton.engine.{Delivery, Receiver}

/** The state of a delivery that arrives in frames. */
private[amqp] sealed trait IncomingMessage

private[amqp] object IncomingMessage {

  /** More frames follow. */
  case object Incomplete extends IncomingMessage

  /** The peer aborted it, or it arrived after the link was closed. */
  case object Discarded extends IncomingMessage

  /** Its bytes so far are dropped; it is not settled. */
  final case class TooLarge(size: Long) extends IncomingMessage
  final case class Complete(bytes: Array[Byte], format: Int) extends IncomingMessage

  def read(delivery: Delivery, maxSize: Int): IncomingMessage = delivery.getLink match {
    case receiver: Receiver if delivery.isReadable =>
      val size = delivery.pending
      if (delivery.isAborted) {
        finish(receiver, delivery)
        Discarded
      } else if (size > maxSize) {
        receiver.recv()
        if (!delivery.isPartial) receiver.advance()
        TooLarge(size.toLong)
      } else if (delivery.isPartial) Incomplete
      else {
        val bytes = new Array[Byte](size)
        receiver.recv(bytes, 0, size)
        receiver.advance()
        Complete(bytes, delivery.getMessageFormat)
      }
    case _ => Discarded
  }

  /** Drops the bytes, so that a peer that continues to send does not fill the memory. */
  def discard(delivery: Delivery): Unit = delivery.getLink match {
    case receiver: Receiver if delivery.isReadable =>
      receiver.recv()
      if (!delivery.isPartial) finish(receiver, delivery)
    case _ => ()
  }

  // Only a complete delivery may be settled: the engine needs it for its next frame.
  private def finish(receiver: Receiver, delivery: Delivery): Unit = {
    receiver.recv()
    receiver.advance()
    delivery.settle()
  }
}
