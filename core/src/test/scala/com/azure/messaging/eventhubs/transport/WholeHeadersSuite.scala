package com.azure.messaging.eventhubs.transport

import java.io.ByteArrayOutputStream
import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.US_ASCII
import java.security.MessageDigest
import java.util.Base64

import com.microsoft.azure.proton.transport.ws.impl.WebSocketImpl
import org.apache.qpid.proton.engine.impl.{TransportInput, TransportOutput, TransportWrapper}

import testkit.TestSuite

/** The SDK's WebSocket layer with our reader of headers, fed with the bytes of frames in pieces. */
class WholeHeadersSuite extends TestSuite {

  /** What stands behind the layer, and takes the payloads. */
  private final class Payloads extends TransportInput {
    private val tailBuffer = ByteBuffer.allocate(1 << 16)
    val bytes = new ByteArrayOutputStream

    override def capacity: Int = tailBuffer.remaining
    override def position: Int = tailBuffer.position
    override def tail: ByteBuffer = tailBuffer
    override def process(): Unit = {
      bytes.write(tailBuffer.array, 0, tailBuffer.position)
      tailBuffer.clear()
      ()
    }
    override def close_tail(): Unit = ()
  }

  private object NoOutput extends TransportOutput {
    override def pending: Int = 0
    override def head: ByteBuffer = ByteBuffer.allocate(0)
    override def pop(bytes: Int): Unit = ()
    override def close_head(): Unit = ()
  }

  private final class Socket {
    val payloads = new Payloads
    private val layer = new WebSocketImpl
    layer.configure("localhost", "/", "", 0, "AMQPWSB10", None.orNull, new WholeHeaders)
    private val wrapper: TransportWrapper = layer.wrap(payloads, NoOutput)

    /** Takes what the layer wants to send. */
    def sent(): Array[Byte] = {
      val head = new Array[Byte](wrapper.pending)
      wrapper.head.get(head)
      wrapper.pop(head.length)
      head
    }

    /** Gives the layer the bytes in as few pieces as its buffer takes. */
    def receive(bytes: Array[Byte]): Unit = bytes.grouped(wrapper.capacity).foreach { piece =>
      wrapper.tail.put(piece)
      wrapper.process()
    }

    def state: String = layer.getState.toString
  }

  /** A socket after the upgrade. */
  private def connected(): Socket = {
    val socket = new Socket
    val request = new String(socket.sent(), US_ASCII)
    val key = "Sec-WebSocket-Key: (\\S+)".r.findFirstMatchIn(request).getOrElse(fail(request)).group(1)
    val digest = MessageDigest.getInstance("SHA-1").digest((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").getBytes)
    val accept = Base64.getEncoder.encodeToString(digest)
    socket.receive(
      ("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
        s"Sec-WebSocket-Accept: $accept\r\nSec-WebSocket-Protocol: AMQPWSB10\r\n\r\n").getBytes(US_ASCII)
    )
    assert(socket.state == "PN_WS_CONNECTED_FLOW")
    socket
  }

  private val Binary = 2
  private val Ping = 9
  private val Pong = 10

  /** A frame of a server, which has no mask. */
  private def frame(kind: Int, payload: Array[Byte]): Array[Byte] = {
    val out = ByteBuffer.allocate(payload.length + 10).put((0x80 | kind).toByte)
    payload.length match {
      case short if short <= 125 => out.put(short.toByte)
      case middle if middle <= 0xffff => out.put(126.toByte).putShort(middle.toShort)
      case long => out.put(127.toByte).putLong(long.toLong)
    }
    out.put(payload)
    out.array.take(out.position)
  }

  private def payload(size: Int): Array[Byte] = Array.tabulate(size)(n => (n % 251).toByte)

  /** Runs it on a thread of its own: a layer that is stuck takes the CPU for ever. */
  private def inTime(step: => Unit): Unit = {
    @volatile var failed = Option.empty[Throwable]
    val thread = new Thread(() =>
      try step
      catch { case t: Throwable => failed = Some(t) }
    )
    thread.setDaemon(true)
    thread.start()
    thread.join(20000)
    assert(!thread.isAlive, "the layer reads the same bytes again and again")
    failed.foreach(throw _)
  }

  Seq(1, 125, 126, 300, 4096).foreach { size =>
    test(s"two frames of $size bytes arrive whole, wherever the bytes are cut") {
      val bytes = frame(Binary, payload(size)) ++ frame(Binary, payload(size))
      // Everything about the headers, and some of the payload.
      val header = bytes.length / 2 - size
      val cuts = (0 to header + 1) ++ (bytes.length / 2 - 1 to bytes.length / 2 + header + 1)
      for (cut <- cuts) inTime {
        val socket = connected()
        socket.receive(bytes.take(cut))
        socket.receive(bytes.drop(cut))
        assert(socket.payloads.bytes.toByteArray.sameElements(payload(size) ++ payload(size)), s"cut at $cut")
      }
    }

    test(s"frames of $size bytes that arrive byte by byte are whole") {
      inTime {
        val socket = connected()
        (frame(Binary, payload(size)) ++ frame(Binary, payload(size))).foreach(byte => socket.receive(Array(byte)))
        assert(socket.payloads.bytes.toByteArray.sameElements(payload(size) ++ payload(size)))
      }
    }
  }

  test("an empty ping, which is two bytes, is answered when the next frame arrives") {
    inTime {
      val socket = connected()
      socket.receive(frame(Ping, Array.empty))
      socket.receive(frame(Binary, payload(300)))
      assert((socket.sent().head & 0x0f) == Pong)
      assert(socket.payloads.bytes.toByteArray.sameElements(payload(300)))
    }
  }
}
