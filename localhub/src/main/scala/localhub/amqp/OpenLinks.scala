package localhub.amqp

import java.time.Instant

import scala.collection.mutable

import org.apache.qpid.proton.amqp.transport.ErrorCondition
import org.apache.qpid.proton.engine.{Delivery, EndpointState, Link, Session}

import localhub.amqp.link.{IncomingMessage, LinkHandler, LinkHost, LinkOpening, ReaderLink}

/** The sessions and links of one connection, and what they lead to. */
private[amqp] final class OpenLinks(host: LinkHost, readers: ReaderTurns) {

  private val limits = host.server.limits
  private val opening = new LinkOpening(host)
  private val links = mutable.LinkedHashMap.empty[Link, LinkHandler]
  private val incomplete = new IncompleteDeliveries(limits, host.server.incompleteBytes)

  // Endpoints that are over are freed when their last frame has been written.
  private val over = new mutable.ArrayBuffer[() => Unit]

  def openSession(session: Session): Unit = {
    session.setIncomingCapacity(OpenLinks.IncomingWindow * engine.MaxFrameSize)
    session.open()
    incomplete.add(session)
  }

  def closeSession(session: Session): Unit = {
    links.keys.filter(_.getSession eq session).toSeq.foreach { link =>
      forget(link)
      over += (() => link.free())
    }
    incomplete.remove(session)
    session.close()
    over += (() => session.free())
  }

  def open(link: Link): Unit =
    if (links.size >= limits.linksPerConnection) {
      link.open()
      detach(link, AmqpFailure.tooManyLinks(limits.linksPerConnection).toCondition)
    } else opening.open(link).foreach(handler => links += link -> handler)

  /** The peer has closed (or only detached) the link. */
  def close(link: Link, closed: Boolean): Unit = {
    if (link.getLocalState != EndpointState.CLOSED) if (closed) link.close() else link.detach()
    forget(link)
    over += (() => link.free())
  }

  def detach(link: Link, condition: ErrorCondition): Unit = if (link.getLocalState != EndpointState.CLOSED) {
    link.setCondition(condition)
    link.close()
    forget(link)
  }

  def flow(link: Link): Unit = links.get(link).foreach(_.onFlow())

  /** False when the connection holds too much that is incomplete, and cannot go on. */
  def deliver(delivery: Delivery): Boolean = {
    links.get(delivery.getLink) match {
      case Some(handler) => handler.onDelivery(delivery)
      case None => IncomingMessage.discard(delivery)
    }
    incomplete.check(delivery.isPartial)
  }

  /** Detaches the links that no valid token allows any more. */
  def detachUnauthorized(now: Instant): Unit =
    for {
      (link, handler) <- links.toSeq
      access <- handler.requires if !host.grants.allow(access, now)
      expiry <- host.grants.expiryOf(access)
    } detach(link, AmqpFailure.tokenExpired(access, expiry).toCondition)

  def freeEnded(): Unit = {
    over.foreach(_())
    over.clear()
  }

  /** The connection is gone. */
  def clear(): Unit = {
    val handlers = links.values.toSeq
    links.clear()
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

  /** Transfer frames that a session may have under way, as the service announces it. */
  val IncomingWindow = 5000
}
