package localhub.amqp.link

import java.nio.ByteBuffer
import java.util.concurrent.atomic.AtomicBoolean

import org.apache.qpid.proton.codec.ReadableBuffer
import org.apache.qpid.proton.engine.Sender

import localhub.amqp.event.RuntimeMetrics
import localhub.amqp.fault.{FaultAction, FaultScope, Occasion}
import localhub.amqp.{AmqpFailure, ReaderPlace, ReaderView, RegisteredReader}
import localhub.log.{LogEntry, PartitionLog}

/**
 * Sends one partition's events to one reader, as far as its credit goes, and waits for more.
 *
 * @param first sequence number to send
 */
private[amqp] final class ReaderLink(
    host: LinkHost,
    link: Sender,
    val place: ReaderPlace,
    log: PartitionLog,
    first: Long,
    request: ReaderRequest,
    access: Access
) extends LinkHandler
    with RegisteredReader {
  import ReaderLink._

  @volatile private var nextSequenceNumber = first
  @volatile private var lastCredit = 0
  @volatile private var ended = false
  private var resources = Seq.empty[AutoCloseable]
  private val scope = FaultScope(Some(place.hub.name), Some(place.consumerGroup), Some(place.partition))
  // Not before it starts: a reader that is not admitted is nothing that a fault can strike.
  private lazy val faults = new LinkFaults(host, link, scope, stolen = Some(() => AmqpFailure.stolenByFault))

  // A fault keeps the reader waiting; the turn after a delay is not delayed again.
  private var resting = false
  private var spared = false

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

  /** From here on appends wake it. */
  def start(): ReaderLink = {
    resources = Seq(
      faults,
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

  def isClosed: Boolean = ended

  /** The session's window is closed, so what was sent last still waits in the engine. */
  def isHeldBack: Boolean = link.getSession.getOutgoingBytes > 0

  /**
   * Hands events of about `maxBytes` to the engine.
   *
   * @return whether there may be more to send at once; when not, a flow or an append calls again
   */
  def send(maxBytes: Int): Boolean =
    if (ended || isHeldBack || resting) false
    else {
      awake.set(false)
      val credit = link.getCredit
      val events = if (credit > 0) log.readBatch(nextSequenceNumber, credit, maxBytes) else IndexedSeq.empty
      if (events.nonEmpty && struck()) false
      else {
        val metrics =
          if (request.wantsRuntimeMetrics) RuntimeMetrics.encode(log.bounds, host.server.clock.millis()) else NoPrefix
        events.foreach(entry =>
          transfer(if (metrics.isEmpty) bytes(entry) else ByteBuffer.wrap(metrics ++ entry.payload))
        )
        host.server.counters.eventsOut.add(events.length.toLong)
        nextSequenceNumber += events.length
        val more = credit > 0 && (events.nonEmpty || skipsTrimmed())
        if (!more && link.getDrain) link.drained()
        lastCredit = link.getCredit
        more && lastCredit > 0
      }
    }

  override def onClosed(): Unit = {
    ended = true
    resources.foreach(_.close())
    host.server.readers.remove(this)
  }

  /** Retention has removed what was to come next: goes on with the first event that is there. */
  private def skipsTrimmed(): Boolean = {
    val begin = log.bounds.beginSequenceNumber
    val behind = begin > nextSequenceNumber
    if (behind) nextSequenceNumber = begin
    behind
  }

  /** Whether a fault keeps the reader from sending now. */
  private def struck(): Boolean =
    if (spared) {
      spared = false
      false
    } else
      faults.at(Occasion.Receive).exists { hit =>
        hit.action match {
          case FaultAction.Delay(time) => rest(); host.executeLater(time, () => goOn())
          case FaultAction.Stall => rest(); host.executeWhen(() => !hit.isHolding(), () => goOn())
          // The link stays; it goes on with what there is then.
          case FaultAction.ExpireEvents => faults.end(hit.action); host.ready(this)
          case action => faults.end(action)
        }
        true
      }

  private def rest(): Unit = resting = true

  private def goOn(): Unit = {
    resting = false
    spared = true
    if (!ended) host.ready(this)
  }

  /** Where the log has them, not copied. */
  private def bytes(entry: LogEntry): ByteBuffer = ByteBuffer.wrap(entry.array, entry.start, entry.length).slice()

  private def transfer(payload: ByteBuffer): Unit = {
    val delivery = link.delivery(NoTag)
    link.sendNoCopy(ReadableBuffer.ByteBufferReader.wrap(payload))
    delivery.settle()
  }
}

private object ReaderLink {
  // FullPerformatives writes the delivery id as the tag.
  private val NoTag = Array.emptyByteArray
  private val NoPrefix = Array.emptyByteArray
}
