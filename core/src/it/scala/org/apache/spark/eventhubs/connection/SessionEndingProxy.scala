package org.apache.spark.eventhubs.connection

import java.io.{ByteArrayOutputStream, DataInputStream, DataOutputStream, OutputStream}
import java.net.{InetAddress, InetSocketAddress, ServerSocket, Socket}
import java.nio.charset.StandardCharsets.US_ASCII
import java.util.concurrent.ConcurrentLinkedQueue

/** A proxy for plain AMQP that ends sessions, links or connections, as the service does. */
final class SessionEndingProxy(targetPort: Int) extends AutoCloseable {

  private val listener = {
    val listener = new ServerSocket
    listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress, 0), 50)
    listener
  }
  private val sockets = new ConcurrentLinkedQueue[Socket]
  private val links = new ConcurrentLinkedQueue[SessionEndingProxy.Link]

  ProxyThread.start {
    while (true) {
      val client = listener.accept()
      val server = new Socket(InetAddress.getLoopbackAddress, targetPort)
      Seq(client, server).foreach(sockets.add)
      ProxyThread.start { server.getOutputStream.flush(); client.getInputStream.transferTo(server.getOutputStream); () }
      ProxyThread.start(copyFrames(new DataInputStream(server.getInputStream), client.getOutputStream))
    }
  }

  def port: Int = listener.getLocalPort

  /** Ends the sessions of all readers, with this condition and description. */
  def endSessions(condition: String, description: String): Unit =
    endSessions(SessionEndingProxy.error(condition, description))

  /** Ends the sessions of all readers without a reason. */
  def endSessionsWithoutError(): Unit = endSessions(SessionEndingProxy.NoError)

  private def endSessions(body: Array[Byte]): Unit = end(_.kind == SessionEndingProxy.Reader, _ => body)

  /** Ends links of this kind without a reason: with their session, alone, or with their connection. */
  def endWithoutError(kind: SessionEndingProxy.Kind, what: SessionEndingProxy.Ends): Int = {
    import SessionEndingProxy._
    what match {
      case Session => end(_.kind == kind, _ => NoError)
      case OnlyLink => end(_.kind == kind, link => detach(link.handle))
      case Connection => end(_.kind == kind, _ => Close)
    }
  }

  private def end(which: SessionEndingProxy.Link => Boolean, body: SessionEndingProxy.Link => Array[Byte]): Int = {
    val ended = new java.util.concurrent.atomic.AtomicInteger
    links.removeIf { link =>
      val ends = which(link)
      if (ends) {
        ended.incrementAndGet()
        val bytes = body(link)
        val channel = if (bytes eq SessionEndingProxy.Close) 0 else link.channel
        try link.client.synchronized(link.client.write(SessionEndingProxy.frame(channel, bytes)))
        catch { case _: java.io.IOException => () }
      }
      ends
    }
    ended.get
  }

  override def close(): Unit = {
    listener.close()
    sockets.forEach(_.close())
  }

  private def copyFrames(from: DataInputStream, to: OutputStream): Unit = while (true) {
    val first = from.readInt()
    val rest = new Array[Byte](if (first == SessionEndingProxy.Header) 4 else first - 4)
    from.readFully(rest)
    val frame = new ByteArrayOutputStream
    new DataOutputStream(frame).writeInt(first)
    frame.write(rest)
    to.synchronized(to.write(frame.toByteArray))
    // Size, data offset, type and channel come before the performative.
    if (rest.length > 6 && rest(5) == 0x53 && rest(6) == 0x12) {
      val text = new String(rest, US_ASCII)
      val kind =
        if (text.contains("ConsumerGroups")) SessionEndingProxy.Reader
        else if (text.contains("$cbs")) SessionEndingProxy.Claims
        else if (text.contains("$management")) SessionEndingProxy.Questions
        else SessionEndingProxy.Sender
      links.add(SessionEndingProxy.Link(
        to,
        (rest(2) & 0xff) << 8 | rest(3) & 0xff,
        SessionEndingProxy.handle(rest),
        kind
      ))
    }
  }
}

object SessionEndingProxy {

  /** What a link is for. */
  sealed trait Kind
  case object Reader extends Kind
  case object Sender extends Kind
  case object Claims extends Kind
  case object Questions extends Kind

  /** What the service ends. */
  sealed trait Ends
  case object Session extends Ends
  case object OnlyLink extends Ends
  case object Connection extends Ends

  private final case class Link(client: OutputStream, channel: Int, handle: Int, kind: Kind)

  /** `AMQP`, with which a protocol header begins. */
  private val Header = 0x414d5150

  /** An END that has no fields. */
  private val NoError = Array[Byte](0, 0x53, 0x17, 0x45)

  /** A CLOSE that has no fields. */
  private val Close = Array[Byte](0, 0x53, 0x18, 0x45)

  /** A DETACH that closes the link, without an error. */
  private def detach(handle: Int): Array[Byte] =
    Array[Byte](0, 0x53, 0x16, 0xc0.toByte, 7, 2, 0x70) ++ int(handle) :+ 0x41.toByte

  /** The handle of an ATTACH: its second field, after the name. */
  private def handle(attach: Array[Byte]): Int = {
    val name = if (attach(7) == 0xc0.toByte) 10 else 16
    val after =
      if (attach(name) == 0xa1.toByte) name + 2 + (attach(name + 1) & 0xff)
      else name + 5 + java.nio.ByteBuffer.wrap(attach, name + 1, 4).getInt
    attach(after) match {
      case 0x43 => 0
      case 0x52 => attach(after + 1) & 0xff
      case 0x70 => java.nio.ByteBuffer.wrap(attach, after + 1, 4).getInt
      case other => throw new IllegalArgumentException(s"a handle of type $other")
    }
  }

  /** An END with an error. */
  private def error(condition: String, description: String): Array[Byte] = {
    def text(code: Int, value: String) = Array(code.toByte, value.length.toByte) ++ value.getBytes(US_ASCII)
    def list(code: Byte, fields: Array[Byte], count: Int) =
      Array[Byte](0, 0x53, code, 0xd0.toByte) ++ int(fields.length + 4) ++ int(count) ++ fields
    val error = list(0x1d, text(0xa3, condition) ++ text(0xa1, description), 2)
    list(0x17, error, 1)
  }

  private def frame(channel: Int, body: Array[Byte]): Array[Byte] =
    int(8 + body.length) ++ Array[Byte](2, 0, (channel >> 8).toByte, channel.toByte) ++ body

  private def int(value: Int): Array[Byte] = java.nio.ByteBuffer.allocate(4).putInt(value).array
}
