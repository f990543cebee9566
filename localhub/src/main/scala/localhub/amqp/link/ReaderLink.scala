package localhub.amqp.link

import java.nio.ByteBuffer
import java.util.concurrent.atomic.AtomicBoolean

import org.apache.qpid.proton.amqp.transport.SenderSettleMode
import org.apache.qpid.proton.codec.ReadableBuffer
import org.apache.qpid.proton.engine.{Delivery, Sender}

import localhub.amqp.event.RuntimeMetrics
import localhub.amqp.fault.{FaultAction, FaultScope, Occasion}
import localhub.amqp.server.{AmqpFailure, ConsumerGroupPartition, ReaderView, RegisteredReader}
import localhub.auth.Access
import localhub.log.{LogEntry, PartitionLog}

/**
 * Sends the events of one partition to one reader within its credit, and waits for more.
 *
 * @param first first sequence number to send
 */
private[amqp] final class ReaderLink(
    context: LinkContext,
    link: Sender,
    val groupPartition: ConsumerGroupPartition,
    log: PartitionLog,
    first: Long,
    request: ReaderRequest,
    access: Access
) extends LinkHandler
    with RegisteredReader {
  import ReaderLink._

  // An option of the hub. The service settles its events, whatever the reader asks for.
  private val isUnsettled =
    context.server.service.unsettledReaders && link.getRemoteSenderSettleMode != SenderSettleMode.SETTLED

  @volatile private var nextSequenceNumber = first
  @volatile private var lastCredit = 0
  @volatile private var ended = false
  private var resources = Seq.empty[AutoCloseable]
  private val scope =
    FaultScope(Some(groupPartition.hub.name), Some(groupPartition.consumerGroup), Some(groupPartition.partition))
  // Lazy, because a reader that is not admitted must not be a fault target.
  private lazy val faults = new LinkFaults(context, link, scope, stolen = Some(() => AmqpFailure.stolenByFault))

  private val idle = new IdleTimer(context.server.limits.idleLink, System.nanoTime)

  // Set while a fault pauses the reader; after a delay the next send is not delayed again.
  private var paused = false

  /** Whether a fault makes drains say that there are no events. */
  private var hidden = false
  private var skipNextFault = false

  // Many appends between two sends of this reader wake it once.
  private val wakeUpScheduled = new AtomicBoolean(false)

  override def epoch: Option[Long] = request.epoch
  override def identifier: Option[String] = request.identifier
  override def requires: Option[Access] = Some(access)
  override def isActive: Boolean = true

  /** The service keeps a reader that has credit, however long it waits for events. */
  override def idleFailure(nowNanos: Long): Option[AmqpFailure] = {
    if (link.getCredit > 0 || link.getQueued > 0) idle.used()
    Option.when(idle.hasExpired(nowNanos))(AmqpFailure.idleReader(link.getName, idle.limit))
  }

  override def view: ReaderView = ReaderView(
    groupPartition.hub.name,
    groupPartition.consumerGroup,
    groupPartition.partition,
    context.connectionId,
    link.getName,
    epoch,
    nextSequenceNumber,
    lastCredit
  )

  /** Starts to listen for appends. */
  def start(): ReaderLink = {
    resources = Seq(
      faults,
      log.onAppend(() => if (wakeUpScheduled.compareAndSet(false, true)) context.execute(() => context.ready(this))),
      groupPartition.hub.onPromotion(() => context.execute(() => context.drop())),
      groupPartition.hub.onDelete(() => disconnect(AmqpFailure.hubDeleted(groupPartition.hub.name)))
    )
    this
  }

  /** The reader has settled an event, or wants it to be settled. */
  override def onDelivery(delivery: Delivery): Unit = if (isUnsettled) {
    if (!delivery.remotelySettled) delivery.disposition(delivery.getRemoteState)
    delivery.settle()
  }

  override def disconnect(failure: AmqpFailure): Unit = {
    ended = true
    context.execute(() => context.detach(link, failure))
  }

  override def onFlow(): Unit = {
    lastCredit = link.getCredit
    context.ready(this)
  }

  def isClosed: Boolean = ended

  /**
   * The session's window is closed, so the last deliveries are still in the engine. Asks the link: the session's count
   * keeps the bytes of links that were detached meanwhile.
   */
  def isWindowClosed: Boolean = link.getQueued > 0

  /**
   * Passes events of about `maxBytes` to the engine.
   *
   * @return whether there may be more to send now; otherwise the next flow or append schedules the reader
   */
  def send(maxBytes: Int): Boolean =
    if (ended || isWindowClosed || paused) {
      if (hidden && !ended) answerDrain()
      false
    } else {
      wakeUpScheduled.set(false)
      val credit = link.getCredit
      val end = log.bounds.lastSequenceNumber + 1
      val events = if (credit > 0) log.readBatch(nextSequenceNumber, credit, maxBytes) else IndexedSeq.empty
      if (events.nonEmpty && isHeldByFault()) false
      else {
        if (request.wantsRuntimeMetrics) {
          val metrics = RuntimeMetrics(log.bounds, context.server.clock.millis())
          events.foreach(entry => transfer(ByteBuffer.wrap(metrics.addedTo(entry.payload))))
        } else events.foreach(entry => transfer(bytes(entry)))
        if (events.nonEmpty) idle.used()
        context.server.counters.eventsOut.add(events.length.toLong)
        if (events.nonEmpty) nextSequenceNumber = events.last.position.sequenceNumber + 1
        val more = credit > 0 && (events.nonEmpty || skipTrimmed())
        // What is left up to the end is compacted away.
        if (credit > 0 && !more) nextSequenceNumber = math.max(nextSequenceNumber, end)
        if (!more) answerDrain()
        lastCredit = link.getCredit
        more && lastCredit > 0
      }
    }

  private def answerDrain(): Unit = if (link.getDrain && context.server.service.answersDrain) {
    link.drained()
    ()
  }

  override def onClosed(): Unit = {
    ended = true
    resources.foreach(_.close())
    context.server.readers.remove(this)
  }

  /** If retention has removed the next event, continues with the first retained one. */
  private def skipTrimmed(): Boolean = {
    val begin = log.bounds.beginSequenceNumber
    val behind = begin > nextSequenceNumber
    if (behind) nextSequenceNumber = begin
    behind
  }

  /** Whether a fault prevents the reader from sending now. */
  private def isHeldByFault(): Boolean =
    if (skipNextFault) {
      skipNextFault = false
      false
    } else
      faults.at(Occasion.Receive).exists { hit =>
        hit.action match {
          case FaultAction.Delay(time) => pause(); context.executeLater(time, () => resume())
          case FaultAction.Stall => pause(); context.executeWhen(() => !hit.isHolding(), () => resume())
          case FaultAction.HideEvents =>
            pause()
            hidden = true
            context.executeWhen(() => !hit.isHolding(), () => resume())
            answerDrain()
          // The link stays open and continues with the remaining events.
          case FaultAction.ExpireEvents => faults.end(hit.action); context.ready(this)
          case action => faults.end(action)
        }
        true
      }

  private def pause(): Unit = paused = true

  private def resume(): Unit = {
    paused = false
    hidden = false
    skipNextFault = true
    if (!ended) context.ready(this)
  }

  /** The log's own bytes, not a copy. */
  private def bytes(entry: LogEntry): ByteBuffer = ByteBuffer.wrap(entry.array, entry.start, entry.length).slice()

  private def transfer(payload: ByteBuffer): Unit = {
    val delivery = link.delivery(NoTag)
    link.sendNoCopy(ReadableBuffer.ByteBufferReader.wrap(payload))
    if (isUnsettled) { link.advance(); () }
    else delivery.settle()
  }
}

private object ReaderLink {
  // PerformativeEncoder writes the delivery id as the tag.
  private val NoTag = Array.emptyByteArray
}
