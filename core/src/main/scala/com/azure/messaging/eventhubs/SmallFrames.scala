package com.azure.messaging.eventhubs

import java.lang.reflect.Field

import org.apache.qpid.proton.engine.impl.TransportImpl
import org.apache.qpid.proton.engine.{BaseHandler, Event}

/**
 * Makes a connection accept frames of 12 KB only. A session's window counts frames, whatever their size, so with frames
 * of 64 KB a window of some megabytes has so few of them that small events would wait for each round trip. An event of
 * 10 KB still fits into one frame: two frames would have to be copied into one array.
 *
 * Proton-j also takes the size of its buffers from the limit, when it creates the transport. They stay as they are:
 * less than 64 KB for each call of the socket costs a lot of time. Frames to the service are as large as before.
 */
private final class SmallFrames extends BaseHandler {

  /** Before the frame that opens the connection is written. */
  override def onConnectionBound(event: Event): Unit = event.getTransport match {
    case transport: TransportImpl =>
      if (transport.getMaxFrameSize > SmallFrames.Bytes) SmallFrames.limit.setInt(transport, SmallFrames.Bytes)
    case other => throw new IllegalStateException(s"the connection has a ${other.getClass.getName}")
  }
}

private object SmallFrames {
  val Bytes = 12288

  private lazy val limit: Field = {
    val field = classOf[TransportImpl].getDeclaredField("_maxFrameSize")
    field.setAccessible(true)
    field
  }
}
