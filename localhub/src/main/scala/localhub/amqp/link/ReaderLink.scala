package localhub.amqp.link

import java.util.concurrent.atomic.AtomicBoolean

import org.apache.qpid.proton.codec.ReadableBuffer
import org.apache.qpid.proton.engine.Sender

import localhub.amqp.AmqpFailure
import localhub.log.{PartitionLog, StartingPoint}
import localhub.node.EventHub

/** Sends one partition's events to one reader, as far as its credit goes, and waits for more. */
private[amqp] final class ReaderLink(
    host: LinkHost,
    link: Sender,
    hub: EventHub,
    log: PartitionLog,
    start: StartingPoint
) extends LinkHandler {
  import ReaderLink._

  private var nextSequenceNumber = log.sequenceNumberAt(start)
  private var closed = false
  @volatile private var hubDeleted = false

  // Many appends between two turns of this reader wake it once.
  private val awake = new AtomicBoolean(false)
  private val appends = log.onAppend { () =>
    if (awake.compareAndSet(false, true)) host.execute(() => host.ready(this))
  }
  private val deletion = hub.onDelete { () =>
    hubDeleted = true
    host.execute(() => host.detach(link, AmqpFailure.hubDeleted(hub.name)))
  }

  override def onFlow(): Unit = host.ready(this)

  /** The session's window is closed, so what was sent last still waits in the engine. */
  def isHeldBack: Boolean = link.getSession.getOutgoingBytes > 0

  /**
   * Hands events of about `maxBytes` to the engine.
   *
   * @return whether there may be more to send at once; when not, a flow or an append calls again
   */
  def send(maxBytes: Int): Boolean =
    if (closed || hubDeleted || isHeldBack) false
    else {
      awake.set(false)
      var sent = 0
      var ended = false
      while (!ended && sent < maxBytes && link.getCredit > 0)
        log.read(nextSequenceNumber) match {
          case Some(entry) =>
            transfer(entry.payload)
            sent += entry.payload.length + FrameOverhead
            nextSequenceNumber += 1
          case None =>
            val begin = log.bounds.beginSequenceNumber
            if (begin > nextSequenceNumber) nextSequenceNumber = begin else ended = true
        }
      if (ended && link.getDrain) link.drained()
      !ended && link.getCredit > 0
    }

  override def onClosed(): Unit = {
    closed = true
    appends.close()
    deletion.close()
  }

  private def transfer(payload: Array[Byte]): Unit = {
    val delivery = link.delivery(NoTag)
    link.sendNoCopy(ReadableBuffer.ByteBufferReader.wrap(payload))
    delivery.settle()
  }
}

private object ReaderLink {
  // FullPerformatives writes the delivery id as the tag.
  private val NoTag = Array.emptyByteArray
  private val FrameOverhead = 48
}
