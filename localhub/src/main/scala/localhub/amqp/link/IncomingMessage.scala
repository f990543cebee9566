package localhub.amqp.link

import org.apache.qpid.proton.engine.{Delivery, Receiver}

/** What has arrived of a delivery. */
private[amqp] sealed trait IncomingMessage
private[amqp] object IncomingMessage {

  /** More frames follow. */
  case object Incomplete extends IncomingMessage

  /** The peer took it back, or it came after the link was closed; nothing is to be done with it. */
  case object Discarded extends IncomingMessage

  /** What has come of it is dropped; it is not settled. */
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

  /** Drops what has arrived, so that a peer that goes on sending does not fill the memory. */
  def discard(delivery: Delivery): Unit = delivery.getLink match {
    case receiver: Receiver if delivery.isReadable =>
      receiver.recv()
      if (!delivery.isPartial) finish(receiver, delivery)
    case _ => ()
  }

  // Only a whole delivery may be settled: the engine looks up the one that a frame continues.
  private def finish(receiver: Receiver, delivery: Delivery): Unit = {
    receiver.recv()
    receiver.advance()
    delivery.settle()
  }
}
