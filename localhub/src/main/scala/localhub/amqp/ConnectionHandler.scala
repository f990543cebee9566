package localhub.amqp

import java.nio.ByteBuffer
import java.time.Duration

import scala.util.control.NonFatal

import org.apache.qpid.proton.amqp.Binary
import org.apache.qpid.proton.amqp.security.SaslFrameBody
import org.apache.qpid.proton.amqp.transport.FrameBody
import org.apache.qpid.proton.engine.impl.{CollectorImpl, ConnectionImpl}
import org.apache.qpid.proton.engine.{EndpointState, Event, Link}
import org.slf4j.LoggerFactory

import localhub.amqp.engine._
import localhub.amqp.fault.{FaultAction, FaultScope, FaultTarget}
import localhub.amqp.link.{ConnectionGrants, LinkHost, ReaderLink}

/**
 * One AMQP connection without its socket: bytes come in through [[receive]], frames go out into the loop's buffer in
 * [[produce]]. Runs on its loop's thread only; `schedule` is the way in from other threads.
 */
private[amqp] final class ConnectionHandler(
    val server: ServerContext,
    tools: LoopTools,
    schedule: Runnable => Unit,
    scheduleLater: (Duration, Runnable) => Unit
) extends FrameReceiver
    with LinkHost
    with FaultTarget {
  import ConnectionHandler._

  private val connection = new ConnectionImpl
  private val collector = new CollectorImpl
  private val engine = new ProtocolEngine(tools.performatives, () => readers.release())
  private val readers = new ReaderTurns
  private val liveness = new Liveness(server.limits, System.nanoTime)

  private val number = server.nextConnectionNumber()

  val grants = new ConnectionGrants
  private val handshake = new Handshake(tools.sasl, server.authority, grants)
  private val links = new OpenLinks(this, readers)

  /** Read by other threads too, for views; the client's name is there once it has opened the connection. */
  @volatile var connectionId: String = number.toString

  connection.collect(collector)
  engine.setMaxFrameSize(MaxFrameSize)
  engine.setChannelMax(ChannelMax)
  engine.setIdleTimeout(server.limits.toleratedSilence.toMillis.toInt)
  engine.bind(connection)
  server.faultTargets.add(this)

  /** Whether the connection is over and the socket can be closed once everything is written. */
  def isFinished: Boolean = phase == ConnectionPhase.Closed

  /** Whether it is over without a goodbye: what is not written yet is not to be written. */
  var isDropped: Boolean = false

  /** Takes the complete frames out of `in`, and leaves what is incomplete. */
  def receive(in: ByteBuffer): Unit = {
    liveness.received()
    try
      while (phase != ConnectionPhase.Closed && tools.decoder.decodeOne(in, phase.expectsHeader, this)) dispatchEvents()
    catch {
      case e: FramingException => fail(AmqpFailure.framing(e.getMessage))
      // Nesting deep enough ends the stack of the decoder, on proton's side or on ours.
      case e: StackOverflowError => fail(AmqpFailure.framing(s"A frame is nested too deeply: $e"))
      case NonFatal(e) =>
        log.debug("A peer's frame could not be processed; its connection is closed.", e)
        fail(AmqpFailure.framing(s"A frame could not be processed: $e"))
    }
    if (phase == ConnectionPhase.Closed) { in.position(in.limit()); () }
  }

  /**
   * Writes what is due into the loop's buffer, and events until it holds `eventBytes`.
   *
   * @return whether more events can be sent as soon as this has left the buffer
   */
  def produce(eventBytes: Int): Boolean = {
    engine.produceFrames()
    while (dispatchEvents()) engine.produceFrames()
    while (readers.nonEmpty && tools.output.position < eventBytes) readers.next(() => engine.produceFrames())
    links.freeEnded()
    while (dispatchEvents()) engine.produceFrames()
    if (tools.output.position > 0) liveness.sent()
    readers.nonEmpty
  }

  def onTick(nowNanos: Long): Unit = {
    val now = server.clock.instant()
    if (grants.anyExpired(now)) links.detachUnauthorized(now)
    liveness.check(nowNanos, phase == ConnectionPhase.Open, engine.getRemoteIdleTimeout.toLong) match {
      case Liveness.Alive => ()
      case Liveness.HeartbeatDue => engine.writeHeartbeat()
      case Liveness.Silent(millis) => fail(AmqpFailure.idleTimeOut(millis))
    }
  }

  /** The connection is gone: links release what they hold. */
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
    grants.expire(now)
    links.detachUnauthorized(now)
  }

  override def place: FaultScope = FaultScope()
  override def canSuffer(action: FaultAction): Boolean =
    action == FaultAction.DropConnection || action == FaultAction.ExpireTokens
  override def strike(action: FaultAction): Unit =
    execute(() => if (action == FaultAction.DropConnection) drop() else expireTokens())

  override def detach(link: Link, failure: AmqpFailure): Unit = links.detach(link, failure.toCondition)

  override def onProtocolHeader(protocol: Int): Unit = handshake.onProtocolHeader(protocol)

  override def onSaslFrame(body: SaslFrameBody): Unit = handshake.onSaslFrame(body)

  override def onFrame(channel: Int, body: FrameBody, payload: Option[Binary]): Unit = {
    handshake.onFrame(body)
    engine.receive(channel, body, payload)
  }

  private def phase: ConnectionPhase = handshake.phase

  /** @return whether there was any event */
  private def dispatchEvents(): Boolean = {
    var any = false
    var event = collector.peek()
    while (event != null) {
      any = true
      dispatch(event)
      collector.pop()
      event = collector.peek()
    }
    any
  }

  private def dispatch(event: Event): Unit = event.getType match {
    case Event.Type.CONNECTION_REMOTE_OPEN =>
      connectionId = s"$number/${connection.getRemoteContainer}"
      connection.setContainer(ContainerId)
      connection.open()
    case Event.Type.CONNECTION_REMOTE_CLOSE =>
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

  private def fail(failure: AmqpFailure): Unit = {
    try if (phase == ConnectionPhase.Open || phase == ConnectionPhase.AwaitOpen) {
        connection.setCondition(failure.toCondition)
        if (connection.getLocalState == EndpointState.UNINITIALIZED) {
          connection.setContainer(ContainerId)
          connection.open()
        }
        connection.close()
        engine.produceFrames()
      }
    catch { case NonFatal(e) => log.debug("The engine could not say goodbye either.", e) }
    onDisconnected()
  }
}

private object ConnectionHandler {
  private val log = LoggerFactory.getLogger(classOf[ConnectionHandler])

  val ContainerId = "spark-eventhubs-localhub"
}
