package com.azure.messaging.eventhubs.transport

import java.nio.ByteBuffer

import com.microsoft.azure.proton.transport.ws.WebSocketHandler.{WebSocketMessageType, WebsocketTuple}
import com.microsoft.azure.proton.transport.ws.impl.WebSocketHandlerImpl

/**
 * The SDK's reader of WebSocket headers, which also reads a header of which exactly two bytes have arrived.
 *
 * The SDK's own reader (qpid-proton-j-extensions 1.2.6) takes these bytes for an empty frame of an unknown type, and
 * leaves them in the buffer. The connection's thread then reads them again and again, and the connection is stuck.
 */
private[transport] final class WholeHeaders extends WebSocketHandlerImpl {

  /** Reads the header at the buffer's position. */
  override def unwrapBuffer(bytes: ByteBuffer): WebsocketTuple =
    if (bytes.remaining != WholeHeaders.Shortest) super.unwrapBuffer(bytes)
    else {
      val first = bytes.get()
      val second = bytes.get()
      if (WholeHeaders.hasLongerLength(second))
        new WebsocketTuple(0, WebSocketMessageType.WEB_SOCKET_MESSAGE_TYPE_HEADER_CHUNK)
      else super.unwrapBuffer(ByteBuffer.wrap(Array(first, second, 0)))
    }
}

private object WholeHeaders {

  /** Bytes of a header whose frame has at most 125 bytes, RFC 6455, section 5.2. */
  private val Shortest = 2

  /** Whether two or eight more bytes of the header have the length. */
  private def hasLongerLength(second: Byte): Boolean = (second & 0x7f) > 125
}
