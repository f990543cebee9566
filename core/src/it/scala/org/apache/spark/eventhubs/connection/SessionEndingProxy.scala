package org.apache.spark.eventhubs.connection

import java.io.{ByteArrayOutputStream, DataInputStream, DataOutputStream, OutputStream}
import java.net.{InetAddress, InetSocketAddress, ServerSocket, Socket}
import java.nio.charset.StandardCharsets.US_ASCII
import java.util.concurrent.ConcurrentLinkedQueue

/** A proxy for plain AMQP that ends the sessions of readers, as the service does, while the connection stays open. */
final class SessionEndingProxy(targetPort: Int) extends AutoCloseable {

  private val listener = {
    val listener = new ServerSocket
    listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress, 0), 50)
    listener
  }
  private val sockets = new ConcurrentLinkedQueue[Socket]
  private val readers = new ConcurrentLinkedQueue[(OutputStream, Int)]

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

  private def endSessions(body: Array[Byte]): Unit = {
    readers.removeIf { case (client, channel) =>
      client.synchronized(client.write(SessionEndingProxy.frame(channel, body)))
      true
    }
    ()
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
    if (rest.length > 6 && rest(5) == 0x53 && rest(6) == 0x12 && new String(rest, US_ASCII).contains("ConsumerGroups"))
      readers.add(to -> ((rest(2) & 0xff) << 8 | rest(3) & 0xff))
  }
}

private object SessionEndingProxy {

  /** `AMQP`, with which a protocol header begins. */
  private val Header = 0x414d5150

  /** An END that has no fields. */
  private val NoError = Array[Byte](0, 0x53, 0x17, 0x45)

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
