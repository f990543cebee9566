package localhub.amqp.engine

import java.lang.reflect.Method
import java.util.{Map => JMap}

import org.apache.qpid.proton.amqp.UnsignedInteger
import org.apache.qpid.proton.engine.Session
import org.apache.qpid.proton.engine.impl.TransportImpl

/**
 * What proton-j's transport knows of its sessions and keeps to itself: windows, counts and handles. This reads its
 * private fields, and calls its private method that writes a flow.
 */
private object TransportSessions {

  private val sessions = accessible(classOf[TransportImpl].getDeclaredField("_remoteSessions"))

  private val writeFlow =
    accessible(classOf[TransportImpl].getDeclaredMethods.filter(_.getName == "writeFlow").head)

  private val transportSession = writeFlow.getParameterTypes.head
  private val linkByHandle =
    accessible(transportSession.getMethod("getLinkFromRemoteHandle", classOf[UnsignedInteger]))
  private val isBegun = accessible(transportSession.getMethod("isLocalChannelSet"))
  private val isAttached = accessible(linkByHandle.getReturnType.getMethod("isLocalHandleSet"))
  private val noLink = Option.empty[AnyRef].orNull
  private val sessionOf = accessible(transportSession.getMethod("getSession"))

  /**
   * Answers a flow with `echo`, which proton-j ignores: sends the state of the session or of one of its links. Without
   * an answer if the server has not begun the session or attached the link, or no longer has it: there is no channel or
   * handle to send on.
   */
  def echoFlow(engine: TransportImpl, channel: Integer, handle: Option[UnsignedInteger]): Unit =
    of(engine, channel).filter(session => isTrue(isBegun, session)).foreach { session =>
      handle.map(linkByHandle.invoke(session, _)) match {
        case None => writeFlow.invoke(engine, session, noLink)
        case Some(link) => if (link != noLink && isTrue(isAttached, link)) writeFlow.invoke(engine, session, link)
      }
    }

  private def isTrue(question: Method, of: AnyRef): Boolean = question.invoke(of) == java.lang.Boolean.TRUE

  def session(engine: TransportImpl, channel: Integer): Option[Session] = of(engine, channel).map(session)

  private def session(transport: AnyRef): Session = sessionOf.invoke(transport) match {
    case session: Session => session
    case other => throw new IllegalStateException(s"proton-j's session is $other.")
  }

  private def of(engine: TransportImpl, channel: Integer): Option[AnyRef] =
    Option(sessions.get(engine).asInstanceOf[JMap[Integer, AnyRef]].get(channel))

  private def accessible[A <: java.lang.reflect.AccessibleObject](member: A): A = {
    member.setAccessible(true)
    member
  }
}
