package localhub.amqp.connection

import java.nio.ByteBuffer
import java.time.Duration

import scala.util.control.NonFatal

import org.apache.qpid.proton.amqp.Binary
import org.apache.qpid.proton.amqp.security.SaslFrameBody
import org.apache.qpid.proton.amqp.transport.FrameBody
import org.apache.qpid.proton.engine.impl.{CollectorImpl, ConnectionImpl}
import org.apache.qpid.proton.engine.{EndpointState, Event, Link, Session}
import org.slf4j.LoggerFactory

import localhub.amqp.engine.{
  ChannelMax,
  FrameReceiver,
  FramingException,
  HandleMax,
  MaxFrameSize,
  ProtocolEngine,
  ProtocolObserver
}
import localhub.amqp.fault.{FaultAction, FaultScope, FaultTarget}
import localhub.amqp.link.{ConnectionGrants, LinkContext, ReaderLink}
import localhub.amqp.server.{AmqpFailure, ServerContext, TrackingId, WaitingBytes}

/**
 * One AMQP connection without its socket: [[receive]] takes bytes, [[produce]] writes frames into the loop's buffer.
 * Runs on its loop's thread only; other threads use `schedule`.
 */
private[amqp] final class ConnectionHandler(
    val server: ServerContext,
    resources: LoopResources,
    schedule: Runnable => Unit,
    scheduleLater: (Duration, Runnable) => Unit
) extends FrameReceiver
    with LinkContext
    with FaultTarget
    with ProtocolObserver {
  import ConnectionHandler._

  private val connection = new ConnectionImpl
  private val collector = new CollectorImpl
  private val engine = new ProtocolEngine(resources.performatives, this)
  private val readers = new RoundRobinScheduler
  private val liveness = new Liveness(server.limits, System.nanoTime)

  private val number = server.nextConnectionNumber()
  private val containerId = s"${TrackingId.newHexId()}_G1"

  val grants = new ConnectionGrants
  val waiting = new WaitingBytes(server.limits, server.waitingBytes)
  private val handshake = new Handshake(resources.sasl, server.tokens, grants)
  private val links = new OpenLinks(this, readers)

  /** Read by other threads too. Includes the client's container id once the connection is open. */
  @volatile var connectionId: String = number.toString

  connection.collect(collector)
  engine.setMaxFrameSize(MaxFrameSize)
  engine.setChannelMax(ChannelMax)
  engine.peersSettle = server.service.unsettledReaders
  // proton-j announces half of it.
  engine.setIdleTimeout(2 * server.limits.toleratedSilence.toMillis.toInt)
  engine.bind(connection)
  server.faultTargets.add(this)

  // When the last link that keeps the connection open was last seen.
  private var linksUntil = System.nanoTime

  /** Whether the connection has ended, so that the socket can be closed once everything is written. */
  def isFinished: Boolean = phase == ConnectionPhase.Closed

  /** Whether the server has closed the connection, and its peer has not yet. */
  def awaitsClose: Boolean =
    connection.getLocalState == EndpointState.CLOSED && connection.getRemoteState != EndpointState.CLOSED

  /** Whether a fault dropped the connection: unsent frames are discarded. */
  var isDropped: Boolean = false

  /** Processes the complete frames of `in` and leaves an incomplete one. */
  def receive(in: ByteBuffer): Unit = {
    liveness.received()
    try
      while (phase != ConnectionPhase.Closed && resources.decoder.decodeOne(in, phase.expectsHeader, this))
        dispatchEvents()
    catch {
      case e: FramingException => refuse(AmqpFailure.framing(e.getMessage))
      // Deep nesting overflows the stack of proton's decoder or ours.
      case _: StackOverflowError => refuse(AmqpFailure.framing("A frame is nested too deeply."))
      case NonFatal(e) =>
        log.debug("A peer's frame could not be processed; its connection is closed.", e)
        log.warn(s"Connection $connectionId is closed: a frame could not be processed: $e")
        fail(AmqpFailure.framing("A frame could not be processed: it is no valid frame of AMQP 1.0."))
    }
    if (phase == ConnectionPhase.Closed) { in.position(in.limit()); () }
  }

  /**
   * Writes pending frames into the loop's buffer, then events until it has `eventBytes`.
   *
   * @return whether more events can be sent once the buffer is empty
   */
  def produce(eventBytes: Int): Boolean = {
    engine.produceFrames()
    while (dispatchEvents()) engine.produceFrames()
    while (readers.nonEmpty && resources.output.position < eventBytes) readers.next(() => engine.produceFrames())
    links.freeEnded()
    while (dispatchEvents()) engine.produceFrames()
    if (resources.output.position > 0) liveness.sent()
    readers.nonEmpty
  }

  def onTick(nowNanos: Long): Unit = {
    val tolerated = server.clock.instant().minus(server.limits.tokenGrace)
    if (grants.anyExpired(tolerated)) links.detachUnauthorized(tolerated)
    links.detachIdle(nowNanos)
    closeWithoutLinks(nowNanos)
    // Of a peer that is not read now, nothing can be heard.
    if (waiting.areTooMany) liveness.received()
    liveness.check(nowNanos, phase == ConnectionPhase.Open, engine.getRemoteIdleTimeout.toLong) match {
      case Liveness.Alive => ()
      case Liveness.HeartbeatDue => engine.writeHeartbeat()
      case Liveness.Silent(millis) => fail(AmqpFailure.idleTimeOut(millis))
    }
  }

  private def closeWithoutLinks(nowNanos: Long): Unit =
    if (phase != ConnectionPhase.Open || links.hasActive) linksUntil = nowNanos
    else if (nowNanos - linksUntil > server.limits.connectionWithoutLinks.toNanos) {
      val failure = AmqpFailure.connectionWithoutLinks(server.limits.connectionWithoutLinks.toMillis)
      links.endAll(failure.toCondition)
      fail(failure)
    }

  /** The connection is closed: releases the resources of its links. */
  def onDisconnected(): Unit = {
    handshake.end()
    links.clear()
    server.faultTargets.remove(this)
    ()
  }

  override def execute(task: Runnable): Unit = schedule(task)
  override def ready(reader: ReaderLink): Unit = if (!reader.isClosed) readers.add(reader)
  override def executeLater(delay: Duration, task: Runnable): Unit = scheduleLater(delay, task)

  override def drop(): Unit = {
    isDropped = true
    onDisconnected()
  }

  override def expireTokens(): Unit = {
    val now = server.clock.instant()
    grants.expire(now.minus(server.limits.tokenGrace))
    links.detachUnauthorized(now)
  }

  override def hostname: String = Option(connection.getRemoteHostname).getOrElse("")

  override def scope: FaultScope = FaultScope()
  override def supports(action: FaultAction): Boolean =
    action == FaultAction.DropConnection || action == FaultAction.ExpireTokens
  override def applyFault(action: FaultAction): Unit =
    execute(() => if (action == FaultAction.DropConnection) drop() else expireTokens())

  override def detach(link: Link, failure: AmqpFailure): Unit = links.detach(link, failure.toCondition)

  override def end(session: Session, failure: AmqpFailure): Unit = links.end(session, Some(failure.toCondition))

  override def onProtocolHeader(protocol: Int): Unit = handshake.onProtocolHeader(protocol)

  override def onSaslFrame(body: SaslFrameBody): Unit = handshake.onSaslFrame(body)

  override def onFrame(channel: Int, body: FrameBody, payload: Option[Binary]): Unit = {
    handshake.onFrame(body)
    engine.receive(channel, body, payload)
  }

  override def onFlow(): Unit = readers.release()

  override def onUnattachedHandle(session: Session, handle: Long): Unit =
    end(session, AmqpFailure.unattachedHandle(handle, connectionId))

  override def onHandleBeyondMax(session: Session): Unit = end(session, AmqpFailure.tooManyHandles(HandleMax))

  private def phase: ConnectionPhase = handshake.phase

  /** @return whether there was a proton event */
  private def dispatchEvents(): Boolean = {
    var any = false
    var event = collector.peek()
    while (event != null) {
      any = true
      // Also after a failure: the event would fail again, and the close frame would not be written.
      try dispatch(event)
      finally collector.pop()
      event = collector.peek()
    }
    any
  }

  private def dispatch(event: Event): Unit = event.getType match {
    case Event.Type.CONNECTION_REMOTE_OPEN =>
      connectionId = s"$number/${connection.getRemoteContainer}"
      openOrRefuse()
    case Event.Type.CONNECTION_REMOTE_CLOSE =>
      links.dropUnsent()
      connection.close()
      engine.produceFrames()
      onDisconnected()
    case Event.Type.SESSION_REMOTE_OPEN => links.openSession(event.getSession)
    case Event.Type.SESSION_REMOTE_CLOSE => links.closeSession(event.getSession)
    case Event.Type.LINK_REMOTE_OPEN =>
      links.open(
        Option(event.getLink).getOrElse(throw new FramingException("A handle that is in use was attached again."))
      )
    case Event.Type.LINK_REMOTE_CLOSE => links.close(event.getLink, closed = true)
    case Event.Type.LINK_REMOTE_DETACH => links.close(event.getLink, closed = false)
    case Event.Type.LINK_FLOW => links.flow(event.getLink)
    case Event.Type.DELIVERY => if (!links.deliver(event.getDelivery)) fail(AmqpFailure.tooMuchIncomplete)
    case _ => ()
  }

  private def refuse(failure: AmqpFailure): Unit = {
    log.warn(s"Connection $connectionId is closed: ${failure.description}")
    fail(failure)
  }

  private def openOrRefuse(): Unit = {
    val announced = engine.getRemoteIdleTimeout.toLong
    val shortest = server.limits.shortestIdleTimeOut.toMillis
    if (announced > 0 && announced < shortest) fail(AmqpFailure.idleTimeOutTooShort(announced, shortest))
    else {
      connection.setContainer(containerId)
      connection.open()
    }
  }

  private def fail(failure: AmqpFailure): Unit = {
    try if (phase == ConnectionPhase.Open || phase == ConnectionPhase.AwaitOpen) {
        connection.setCondition(failure.toCondition)
        if (connection.getLocalState == EndpointState.UNINITIALIZED) {
          connection.setContainer(containerId)
          connection.open()
        }
        links.dropUnsent()
        connection.close()
        engine.produceFrames()
      }
    catch { case NonFatal(e) => log.debug("The close frame could not be written.", e) }
    onDisconnected()
  }
}

private object ConnectionHandler {
  private val log = LoggerFactory.getLogger(classOf[ConnectionHandler])
}
