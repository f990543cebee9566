package com.azure.messaging.eventhubs

import java.time.Duration

import com.azure.core.amqp.exception.AmqpException
import com.azure.core.amqp.implementation.handler.{ReceiveLinkHandler2, SendLinkHandler, SessionHandler}
import com.azure.core.amqp.implementation.{AmqpMetricsProvider, ExceptionUtil, ReactorDispatcher}
import org.apache.qpid.proton.amqp.transport.ErrorCondition
import org.apache.qpid.proton.engine.{BaseHandler, EndpointState, Event, Link, Session}

/**
 * The SDK's handler of a session, except that it reports to the session's links at once that the service has ended the
 * session, as it does when a token no longer allows them. The SDK closes each link and waits for the service's answer,
 * which never comes, so a reader would notice after half a minute.
 */
private final class EndedSessionHandler(
    connectionId: String,
    hostname: String,
    sessionName: String,
    dispatcher: ReactorDispatcher,
    openTimeout: Duration
) extends SessionHandler(connectionId, hostname, sessionName, dispatcher, openTimeout, AmqpMetricsProvider.noop()) {

  override def onSessionRemoteClose(event: Event): Unit = {
    val session = event.getSession
    // A session that the client has closed itself is no news.
    val isNews = session.getLocalState != EndpointState.CLOSED
    val error = EndedSessionHandler.reason(Option(session.getRemoteCondition), this)
    if (isNews) {
      EndedSessionHandler.links(session).foreach { link =>
        BaseHandler.getHandler(link) match {
          case receiver: ReceiveLinkHandler2 => receiver.onError(error)
          case sender: SendLinkHandler => sender.onError(error)
          case _ => ()
        }
      }
    }
    super.onSessionRemoteClose(event)
    // Without a condition the SDK keeps the session, and opens the next link on it, which nobody answers.
    if (isNews) onError(error)
  }
}

private object EndedSessionHandler {

  private def reason(condition: Option[ErrorCondition], handler: SessionHandler): Throwable =
    condition.filter(stated => Option(stated.getCondition).isDefined) match {
      case Some(stated) =>
        ExceptionUtil.toException(stated.getCondition.toString, stated.getDescription, handler.getErrorContext)
      case None => new AmqpException(true, "The service has ended the session.", handler.getErrorContext)
    }

  private def links(session: Session): Seq[Link] = {
    val all = java.util.EnumSet.allOf(classOf[EndpointState])
    Iterator
      .iterate(session.getConnection.linkHead(all, all))(_.next(all, all))
      .takeWhile(link => Option(link).isDefined)
      .filter(_.getSession eq session)
      .toList
  }
}
