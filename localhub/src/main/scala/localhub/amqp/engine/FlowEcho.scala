package localhub.amqp.engine

import java.util.{Map => JMap}

import org.apache.qpid.proton.amqp.UnsignedInteger
import org.apache.qpid.proton.engine.impl.TransportImpl

/**
 * Answers a flow with `echo`: sends the state of the session or of one of its links. proton-j ignores the flag. Only
 * proton-j knows the windows and counts, so this calls its private method that writes the flow.
 */
private object FlowEcho {

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
