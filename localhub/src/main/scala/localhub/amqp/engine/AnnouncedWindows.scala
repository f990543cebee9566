package localhub.amqp.engine

import scala.collection.mutable

import org.apache.qpid.proton.amqp.UnsignedInteger
import org.apache.qpid.proton.amqp.transport.{Begin, Flow, FrameBody}

/** The outgoing windows of a connection's sessions. As the service does, the server announces what the client takes. */
private[engine] final class AnnouncedWindows {

  private val byClientChannel = mutable.LongMap.empty[UnsignedInteger]
  private val byOwnChannel = mutable.LongMap.empty[UnsignedInteger]

  def announced(clientChannel: Int, incomingWindow: UnsignedInteger): Unit =
    byClientChannel.update(clientChannel.toLong, incomingWindow)

  /** Sets the outgoing window of a begin or flow that is about to be written. */
  def fillIn(channel: Int, body: FrameBody): Unit = body match {
    case begin: Begin =>
      byClientChannel.get(begin.getRemoteChannel.longValue).foreach { window =>
        byOwnChannel.update(channel.toLong, window)
        begin.setOutgoingWindow(window)
      }
    case flow: Flow => byOwnChannel.get(channel.toLong).foreach(flow.setOutgoingWindow)
    case _ => ()
  }
}
