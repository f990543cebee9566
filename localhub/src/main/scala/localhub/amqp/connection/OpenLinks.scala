package localhub.amqp.connection

import java.time.Instant

import scala.collection.mutable

import org.apache.qpid.proton.amqp.transport.ErrorCondition
import org.apache.qpid.proton.engine.{Delivery, EndpointState, Link, Session}

import localhub.amqp.engine.MaxFrameSize
import localhub.amqp.link.{AttachHandler, DeliveryInternals, IncomingMessage, LinkContext, LinkHandler, ReaderLink}
import localhub.amqp.server.AmqpFailure

/** The sessions and links of one connection with their handlers. */
private[amqp] final class OpenLinks(context: LinkContext, readers: RoundRobinScheduler) {

  private val limits = context.server.limits
  private val opening = new AttachHandler(context)
  private val links = mutable.LinkedHashMap.empty[Link, LinkHandler]
  private val incomplete = new IncompleteDeliveries(limits, context.server.incompleteBytes)

  private val sessions = mutable.LinkedHashSet.empty[Session]
  private val idleCheckNanos = limits.idleLink.toNanos / 20
  private var lastIdleCheck = System.nanoTime

  // Closed endpoints, which are freed after their last frame is written.
  private val over = new mutable.ArrayBuffer[() => Unit]

  def openSession(session: Session): Unit = {
    session.setIncomingCapacity(OpenLinks.IncomingWindow * MaxFrameSize)
    session.open()
    sessions += session
    incomplete.add(session)
  }

  def closeSession(session: Session): Unit = {
    links.keys.filter(_.getSession eq session).toSeq.foreach { link =>
      forget(link)
      over += (() => DeliveryInternals.free(link))
    }
    incomplete.remove(session)
    sessions -= session
    session.close()
    over += (() => session.free())
  }

  def open(link: Link): Unit =
    if (links.size >= limits.linksPerConnection) {
      link.open()
      detach(link, AmqpFailure.tooManyLinks(limits.linksPerConnection).toCondition)
    } else if (links.contains(link)) detach(link, AmqpFailure.linkAttachedTwice(link.getName).toCondition)
    else opening.open(link).foreach(handler => links += link -> handler)

  /** The peer closed (or only detached) the link. */
  def close(link: Link, closed: Boolean): Unit = {
    if (link.getLocalState != EndpointState.CLOSED) if (closed) link.close() else link.detach()
    forget(link)
    over += (() => DeliveryInternals.free(link))
  }

  def detach(link: Link, condition: ErrorCondition): Unit = if (link.getLocalState != EndpointState.CLOSED) {
    DeliveryInternals.dropUnsent(link)
    link.setCondition(condition)
    link.close()
    forget(link)
  }

  def flow(link: Link): Unit = links.get(link).foreach(_.onFlow())

  /** False when the connection has too many bytes of incomplete deliveries and must be closed. */
  def deliver(delivery: Delivery): Boolean = {
    links.get(delivery.getLink) match {
      case Some(handler) => handler.onDelivery(delivery)
      case None => IncomingMessage.discard(delivery)
    }
    incomplete.check(delivery.isPartial)
  }

  /** Whether any link keeps the connection open. */
  def hasActive: Boolean = links.valuesIterator.exists(_.isActive)

  /** Detaches the links that no token allowed at `time`. */
  def detachUnauthorized(time: Instant): Unit =
    for {
      (link, handler) <- links.toSeq
      access <- handler.requires if !context.grants.allows(access, time)
    } detach(link, AmqpFailure.tokenExpired(access).toCondition)

  /** Detaches the links that nothing has used for too long. */
  def detachIdle(nowNanos: Long): Unit = if (nowNanos - lastIdleCheck >= idleCheckNanos) {
    lastIdleCheck = nowNanos
    links.toSeq.foreach { case (link, handler) =>
      handler.idleFailure(nowNanos).foreach(failure => detach(link, failure.toCondition))
    }
  }

  /** Ends a session and its links. */
  def end(session: Session, condition: Option[ErrorCondition]): Unit =
    if (session.getLocalState != EndpointState.CLOSED) {
      dropUnsent(_.getSession eq session)
      links.keys.filter(_.getSession eq session).toSeq.foreach(forget)
      incomplete.remove(session)
      condition.foreach(session.setCondition)
      session.close()
    }

  /** Detaches all links and ends all sessions, because the connection is about to be closed. */
  def endAll(condition: ErrorCondition): Unit = {
    val ended = sessions.toSeq
    links.keys.toSeq.foreach(detach(_, condition))
    ended.foreach(end(_, None))
  }

  /** Drops the events that wait for a session's window, before an END or a CLOSE. */
  def dropUnsent(of: Link => Boolean = _ => true): Unit = links.keys.filter(of).foreach(DeliveryInternals.dropUnsent)

  def freeEnded(): Unit = {
    over.foreach(_())
    over.clear()
  }

  /** The connection is closed. */
  def clear(): Unit = {
    val handlers = links.values.toSeq
    links.clear()
    sessions.clear()
    handlers.foreach(release)
    incomplete.clear()
  }

  private def forget(link: Link): Unit = links.remove(link).foreach(release)

  private def release(handler: LinkHandler): Unit = {
    handler match {
      case reader: ReaderLink => readers.remove(reader)
      case _ => ()
    }
    handler.onClosed()
  }
}

private object OpenLinks {

  /** Incoming window of a session in transfer frames, as the service announces it. */
  val IncomingWindow = 5000
}
