package org.apache.spark.eventhubs.connection.replay

import java.io.{DataInputStream, EOFException, IOException}
import java.net.{InetAddress, ServerSocket, Socket, SocketException}
import java.nio.ByteBuffer
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.atomic.AtomicInteger

import scala.util.control.NonFatal

import org.apache.qpid.proton.amqp.transport.FrameBody
import org.apache.qpid.proton.codec.{AMQPDefinedTypes, DecoderImpl, EncoderImpl}

/** A frame of the client. */
final case class ClientFrame(channel: Int, body: FrameBody, payload: Array[Byte])

/** Answers a client's frames. One for each connection. */
trait ReplayScript {
  def onFrame(frame: ClientFrame, connection: ReplayConnection): Unit
}

/** A server that writes frames which are given byte for byte. It reads the client's with proton-j. */
final class ServiceReplay(newScript: () => ReplayScript) extends AutoCloseable {

  private val listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress)
  private val sockets = new ConcurrentLinkedQueue[Socket]
  private val opened = new AtomicInteger
  @volatile private var closed = false

  /** What a script or a connection failed with. */
  @volatile var failure: Option[Throwable] = None

  run("service-replay")(while (!closed) serve(listener.accept()))

  def port: Int = listener.getLocalPort

  /** Connections so far. */
  def connections: Int = opened.get

  override def close(): Unit = {
    closed = true
    listener.close()
    sockets.forEach(_.close())
  }

  private def serve(socket: Socket): Unit = {
    sockets.add(socket)
    opened.incrementAndGet()
    run("service-replay-connection")(new ReplayConnection(socket, newScript()).run())
  }

  private def run(name: String)(body: => Unit): Unit = {
    val thread = new Thread(
      () =>
        try body
        catch {
          case _: EOFException | _: SocketException => ()
          case NonFatal(e) => failure = Some(e)
        },
      name
    )
    thread.setDaemon(true)
    thread.start()
  }
}

/** One connection of a client. */
final class ReplayConnection(socket: Socket, script: ReplayScript) {

  private val in = new DataInputStream(socket.getInputStream)
  private val decoder = new DecoderImpl
  AMQPDefinedTypes.registerAllTypes(decoder, new EncoderImpl(decoder))

  def run(): Unit =
    try {
      readHeader()
      write("414d515003010000")
      writeFrame(0, ServiceFrames.Mechanisms, kind = 1)
      readFrame()
      writeFrame(0, ServiceFrames.Welcome, kind = 1)
      readHeader()
      write("414d515000010000")
      while (true) readFrame().foreach(script.onFrame(_, this))
    } finally socket.close()

  /** Writes a performative and its payload, both in hexadecimal digits. */
  def send(channel: Int, performative: String, payload: String = ""): Unit =
    writeFrame(channel, performative + payload, kind = 0)

  /** Closes the socket. */
  def disconnect(): Unit = socket.close()

  private def writeFrame(channel: Int, content: String, kind: Int): Unit = {
    val size = AmqpHex.bytes(content).length + 8
    write(f"$size%08x02$kind%02x$channel%04x$content")
  }

  private def write(digits: String): Unit = {
    socket.getOutputStream.write(AmqpHex.bytes(digits))
    socket.getOutputStream.flush()
  }

  private def readHeader(): Unit = in.readFully(new Array[Byte](8))

  /** None for a heartbeat or a frame of SASL. */
  private def readFrame(): Option[ClientFrame] = {
    val size = in.readInt()
    val offset = in.readUnsignedByte() * 4
    val kind = in.readUnsignedByte()
    val channel = in.readUnsignedShort()
    if (size < offset) throw new IOException(s"a frame of $size bytes with an offset of $offset")
    in.skipBytes(offset - 8)
    val content = new Array[Byte](size - offset)
    in.readFully(content)
    if (content.isEmpty || kind == 1) None
    else {
      val buffer = ByteBuffer.wrap(content)
      decoder.setByteBuffer(buffer)
      val body = decoder.readObject() match {
        case performative: FrameBody => performative
        case other => throw new IOException(s"a frame with $other")
      }
      val payload = new Array[Byte](buffer.remaining)
      buffer.get(payload)
      Some(ClientFrame(channel, body, payload))
    }
  }
}
