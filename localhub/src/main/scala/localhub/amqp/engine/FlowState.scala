package localhub.amqp.engine

import java.util.{Map => JMap}

import org.apache.qpid.proton.amqp.UnsignedInteger
import org.apache.qpid.proton.engine.impl.TransportImpl

/**
 * Sends a peer the state of a session, or of one of its links, that it asked for with `echo`. proton-j does not look at
 * that flag, and it is the only one to know the windows and counts; it has the frame ready, though out of reach.
 */
private object FlowState {

  private val sessions = accessible(classOf[TransportImpl].getDeclaredField("_remoteSessions"))

  private val writeFlow =
    accessible(classOf[TransportImpl].getDeclaredMethods.filter(_.getName == "writeFlow").head)

  private val linkByHandle = {
    val session = writeFlow.getParameterTypes.head
    accessible(session.getMethod("getLinkFromRemoteHandle", classOf[UnsignedInteger]))
  }

  def write(engine: TransportImpl, channel: Integer, handle: Option[UnsignedInteger]): Unit =
    Option(sessions.get(engine).asInstanceOf[JMap[Integer, AnyRef]].get(channel)).foreach { session =>
      val link = handle.map(linkByHandle.invoke(session, _)).orNull
      writeFlow.invoke(engine, session, link)
    }

  private def accessible[A <: java.lang.reflect.AccessibleObject](member: A): A = {
    member.setAccessible(true)
    member
  }
}
