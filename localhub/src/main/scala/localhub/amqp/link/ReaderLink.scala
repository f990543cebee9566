package localhub.amqp.link

import java.util.concurrent.atomic.AtomicBoolean

import org.apache.qpid.proton.codec.ReadableBuffer
import org.apache.qpid.proton.engine.Sender

import localhub.amqp.event.RuntimeMetrics
import localhub.amqp.{AmqpFailure, ReaderPlace, ReaderView, RegisteredReader}
import localhub.log.PartitionLog

/** Sends one partition's events to one reader, as far as its credit goes, and waits for more. */
private[amqp] final class ReaderLink(
    host: LinkHost,
    link: Sender,
    val place: ReaderPlace,
    log: PartitionLog,
    request: ReaderRequest,
    access: Access
) extends LinkHandler
    with RegisteredReader {
  import ReaderLink._

  @volatile private var nextSequenceNumber = -1L
  @volatile private var lastCredit = 0
  @volatile private var ended = false
  private var resources = Seq.empty[AutoCloseable]

  // Many appends between two turns of this reader wake it once.
  private val awake = new AtomicBoolean(false)

  override def epoch: Option[Long] = request.epoch
  override def identifier: Option[String] = request.identifier
  override def requires: Option[Access] = Some(access)

  override def view: ReaderView = ReaderView(
    place.hub.name,
    place.consumerGroup,
    place.partition,
    host.connectionId,
    link.getName,
    epoch,
    nextSequenceNumber,
    lastCredit
  )

  /** Takes its position; from here on appends wake it. */
  def start(): ReaderLink = {
    nextSequenceNumber = log.sequenceNumberAt(request.start)
    resources = Seq(
      log.onAppend(() => if (awake.compareAndSet(false, true)) host.execute(() => host.ready(this))),
      place.hub.onDelete(() => disconnect(AmqpFailure.hubDeleted(place.hub.name)))
    )
    this
  }

  override def disconnect(failure: AmqpFailure): Unit = {
    ended = true
    host.execute(() => host.detach(link, failure))
  }

  override def onFlow(): Unit = {
    lastCredit = link.getCredit
    host.ready(this)
  }

  /** The session's window is closed, so what was sent last still waits in the engine. */
  def isHeldBack: Boolean = link.getSession.getOutgoingBytes > 0

  /**
   * Hands events of about `maxBytes` to the engine.
   *
   * @return whether there may be more to send at once; when not, a flow or an append calls again
   */
  def send(maxBytes: Int): Boolean =
    if (ended || isHeldBack) false
    else {
      awake.set(false)
      val metrics =
        if (request.wantsRuntimeMetrics) Some(RuntimeMetrics.encode(log.bounds, host.server.clock.millis())) else None
      val first = nextSequenceNumber
      var next = first
      var skipped = 0L
      var sent = 0
      var caughtUp = false
      while (!caughtUp && sent < maxBytes && link.getCredit > 0)
        log.read(next) match {
          case Some(entry) =>
            transfer(metrics.fold(entry.payload)(_ ++ entry.payload))
            sent += entry.payload.length + FrameOverhead
            next += 1
          case None =>
            val begin = log.bounds.beginSequenceNumber
            if (begin > next) {
              skipped += begin - next
              next = begin
            } else caughtUp = true
        }
      nextSequenceNumber = next
      host.server.counters.eventsOut.add(next - first - skipped)
      if (caughtUp && link.getDrain) link.drained()
      lastCredit = link.getCredit
      !caughtUp && lastCredit > 0
    }

  override def onClosed(): Unit = {
    ended = true
    resources.foreach(_.close())
    host.server.readers.remove(this)
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
