package localhub.amqp

import java.io.{DataInputStream, EOFException}
import java.net.{InetSocketAddress, Socket}
import java.nio.ByteBuffer
import java.util.{HashMap => JHashMap}

import org.apache.qpid.proton.amqp.messaging.{Source, Target}
import org.apache.qpid.proton.amqp.security.{SaslFrameBody, SaslInit, SaslMechanisms, SaslOutcome}
import org.apache.qpid.proton.amqp.transport._
import org.apache.qpid.proton.amqp.{Binary, DescribedType, Symbol, UnknownDescribedType, UnsignedInteger, UnsignedShort}
import org.apache.qpid.proton.codec.{AMQPDefinedTypes, DecoderImpl, EncoderImpl}

import localhub.auth.SharedAccessPolicy

/** A received frame; `raw` is the performative and everything after it. */
final case class ReceivedFrame(channel: Int, body: Option[FrameBody], payload: Array[Byte], raw: Array[Byte])

/** A peer that sends any frame, for what an SDK does not do. */
final class FrameClient(port: Int, timeoutMillis: Int = 60000) extends AutoCloseable {
  private val socket = new Socket()
  socket.connect(new InetSocketAddress("127.0.0.1", port))
  socket.setSoTimeout(timeoutMillis)
  socket.setTcpNoDelay(true)
  private val in = new DataInputStream(socket.getInputStream)
  private val decoder = new DecoderImpl
  private val encoder = new EncoderImpl(decoder)
  AMQPDefinedTypes.registerAllTypes(decoder, encoder)

  def sendBytes(bytes: Array[Byte]): Unit = {
    socket.getOutputStream.write(bytes)
    socket.getOutputStream.flush()
  }

  def sendHeader(protocol: Int): Unit =
    sendBytes("AMQP".getBytes ++ Array(protocol.toByte, 1.toByte, 0.toByte, 0.toByte))

  def readHeader(): Seq[Byte] = {
    val header = new Array[Byte](8)
    in.readFully(header)
    header.toSeq
  }

  def frame(
      channel: Int,
      body: AnyRef,
      payload: Array[Byte] = Array.emptyByteArray,
      frameType: Int = 0
  ): Array[Byte] = {
    val buffer = ByteBuffer.allocate(1 << 21)
    buffer.position(8)
    encoder.setByteBuffer(buffer)
    encoder.writeObject(body)
    buffer.put(payload)
    buffer.putInt(0, buffer.position).put(4, 2.toByte).put(5, frameType.toByte).putShort(6, channel.toShort)
    java.util.Arrays.copyOf(buffer.array, buffer.position)
  }

  def send(channel: Int, body: FrameBody, payload: Array[Byte] = Array.emptyByteArray): Unit =
    sendBytes(frame(channel, body, payload))

  def sendSasl(body: SaslFrameBody): Unit = sendBytes(frame(0, body, frameType = 1))

  def readSasl(): SaslFrameBody = {
    val (_, bytes) = readFrame()
    decoder.setByteBuffer(ByteBuffer.wrap(bytes))
    decoder.readObject().asInstanceOf[SaslFrameBody]
  }

  /** The next frame, heartbeats (without a body) included. */
  def receive(): ReceivedFrame = {
    val (channel, bytes) = readFrame()
    if (bytes.isEmpty) ReceivedFrame(channel, None, bytes, bytes)
    else {
      val buffer = ByteBuffer.wrap(bytes)
      decoder.setByteBuffer(buffer)
      val body = decoder.readObject().asInstanceOf[FrameBody]
      val payload = new Array[Byte](buffer.remaining)
      buffer.get(payload)
      ReceivedFrame(channel, Some(body), payload, bytes)
    }
  }

  /** The next frame of this type; skips others. */
  def expect[T <: FrameBody](implicit tag: reflect.ClassTag[T]): T =
    Iterator.continually(receive()).flatMap(_.body).collectFirst { case body: T => body }.get

  /** Whether the server closes the socket; skips frames before that. */
  def isClosedByServer: Boolean =
    try { while (true) receive(); false }
    catch { case _: EOFException | _: java.net.SocketException => true }

  /** Skips `count` frames with a body; reads only their sizes. */
  def skipFrames(count: Int): Unit = {
    val channel = socket.getInputStream
    val buffer = new Array[Byte](1 << 18)
    var left = count
    var filled = 0
    var at = 0
    while (left > 0) {
      if (at + 4 <= filled) {
        val size =
          (buffer(at) & 0xff) << 24 | (buffer(at + 1) & 0xff) << 16 | (buffer(at + 2) & 0xff) << 8 | (buffer(
            at + 3
          ) & 0xff)
        at += size
        if (size > 8) left -= 1
      } else if (at >= filled) {
        // The rest of the current frame can be skipped while it is read.
        at -= filled
        filled = channel.read(buffer, 0, buffer.length)
        if (filled < 0) throw new EOFException
      } else {
        System.arraycopy(buffer, at, buffer, 0, filled - at)
        filled -= at
        at = 0
        val count = channel.read(buffer, filled, buffer.length - filled)
        if (count < 0) throw new EOFException
        filled += count
      }
    }
  }

  private def readFrame(): (Int, Array[Byte]) = {
    val size = in.readInt()
    val offset = in.readUnsignedByte() * 4
    in.readUnsignedByte()
    val channel = in.readUnsignedShort()
    in.skipBytes(offset - 8)
    val bytes = new Array[Byte](size - offset)
    in.readFully(bytes)
    (channel, bytes)
  }

  /** SASL PLAIN with the policy's key, open, and a session on channel 0. */
  def open(policy: SharedAccessPolicy = SharedAccessPolicy.Root, configure: Open => Unit = _ => ()): FrameClient = {
    assert(login(policy.name, policy.key))
    sendHeader(0)
    readHeader()
    val open = new Open
    open.setContainerId("frame-client")
    open.setHostname("localhost")
    configure(open)
    send(0, open)
    expect[Open]
    begin(0)
    this
  }

  def login(user: String, password: String): Boolean = {
    sendHeader(3)
    readHeader()
    readSasl().asInstanceOf[SaslMechanisms]
    val init = new SaslInit
    init.setMechanism(Symbol.valueOf("PLAIN"))
    init.setInitialResponse(new Binary(s"\u0000$user\u0000$password".getBytes("UTF-8")))
    sendSasl(init)
    readSasl().asInstanceOf[SaslOutcome].getCode.getValue.intValue == 0
  }

  def begin(channel: Int, incomingWindow: Int = 2048): Begin = {
    val begin = new Begin
    begin.setNextOutgoingId(UnsignedInteger.ZERO)
    begin.setIncomingWindow(UnsignedInteger.valueOf(incomingWindow))
    begin.setOutgoingWindow(UnsignedInteger.valueOf(2048))
    begin.setHandleMax(UnsignedInteger.valueOf(1000))
    send(channel, begin)
    expect[Begin]
  }

  def attachReceiver(
      address: String,
      handle: Int = 0,
      channel: Int = 0,
      name: String = "reader",
      filter: Option[String] = None
  ): Attach = attachReceiver(
    address,
    handle,
    channel,
    name,
    filter.map(FrameClient.SelectorName -> FrameClient.selector(_)).toMap
  )

  /** @param filters the entries of the filter map, of any type */
  def attachReceiver(
      address: String,
      handle: Int,
      channel: Int,
      name: String,
      filters: Map[String, AnyRef]
  ): Attach = {
    val attach = newAttach(name, handle, Role.RECEIVER)
    val source = new Source
    source.setAddress(address)
    if (filters.nonEmpty) {
      val entries = new JHashMap[Symbol, AnyRef]
      filters.foreach { case (key, value) => entries.put(Symbol.valueOf(key), value) }
      source.setFilter(entries)
    }
    attach.setSource(source)
    attach.setTarget(new Target)
    send(channel, attach)
    expect[Attach]
  }

  def attachSender(address: String, handle: Int = 0, channel: Int = 0, name: String = "writer"): Attach = {
    val attach = newAttach(name, handle, Role.SENDER)
    val target = new Target
    target.setAddress(address)
    attach.setTarget(target)
    attach.setSource(new Source)
    attach.setInitialDeliveryCount(UnsignedInteger.ZERO)
    send(channel, attach)
    expect[Attach]
  }

  def flow(
      credit: Int,
      handle: Int = 0,
      channel: Int = 0,
      deliveryCount: Int = 0,
      window: Int = 2048,
      received: Int = 0,
      drain: Boolean = false
  ): Unit = {
    val flow = sessionFlow(window, received)
    flow.setHandle(UnsignedInteger.valueOf(handle))
    flow.setDeliveryCount(UnsignedInteger.valueOf(deliveryCount))
    flow.setLinkCredit(UnsignedInteger.valueOf(credit))
    flow.setDrain(drain)
    send(channel, flow)
  }

  /** @param received transfers of the session so far; the server's first has the id 1 */
  def sessionFlow(window: Int, received: Int): Flow = {
    val flow = new Flow
    flow.setNextIncomingId(UnsignedInteger.valueOf(1 + received))
    flow.setIncomingWindow(UnsignedInteger.valueOf(window))
    flow.setNextOutgoingId(UnsignedInteger.ZERO)
    flow.setOutgoingWindow(UnsignedInteger.valueOf(2048))
    flow
  }

  def transfer(
      id: Int,
      payload: Array[Byte],
      handle: Int = 0,
      channel: Int = 0,
      more: Boolean = false,
      format: Long = 0
  ): Unit = sendBytes(transferFrame(id, payload, handle, channel, more, format))

  def transferFrame(
      id: Int,
      payload: Array[Byte],
      handle: Int = 0,
      channel: Int = 0,
      more: Boolean = false,
      format: Long = 0
  ): Array[Byte] = {
    val transfer = new Transfer
    transfer.setHandle(UnsignedInteger.valueOf(handle))
    transfer.setDeliveryId(UnsignedInteger.valueOf(id))
    transfer.setDeliveryTag(new Binary(Array(id.toByte)))
    transfer.setMessageFormat(UnsignedInteger.valueOf(format))
    transfer.setSettled(false)
    transfer.setMore(more)
    frame(channel, transfer, payload)
  }

  override def close(): Unit = socket.close()

  private def newAttach(name: String, handle: Int, role: Role): Attach = {
    val attach = new Attach
    attach.setName(name)
    attach.setHandle(UnsignedInteger.valueOf(handle))
    attach.setRole(role)
    attach.setSndSettleMode(if (role == Role.SENDER) SenderSettleMode.UNSETTLED else SenderSettleMode.SETTLED)
    attach
  }
}

object FrameClient {
  val SelectorName = "apache.org:selector-filter:string"

  /** A reader's filter, as most SDKs write it; others write the descriptor's code. */
  def selector(expression: AnyRef, descriptor: AnyRef = Symbol.valueOf(SelectorName)): DescribedType =
    new UnknownDescribedType(descriptor, expression)

  /** An event with this body, encoded. */
  def event(body: String): Array[Byte] = {
    val bytes = body.getBytes("UTF-8")
    Array(0x00, 0x53, 0x75, 0xa0, bytes.length).map(_.toByte) ++ bytes
  }
  def maxFrame(size: Int): Open => Unit = _.setMaxFrameSize(UnsignedInteger.valueOf(size))
  def idleTimeOut(millis: Int): Open => Unit = _.setIdleTimeOut(UnsignedInteger.valueOf(millis))
  def channelMax(max: Int): Open => Unit = _.setChannelMax(UnsignedShort.valueOf(max.toShort))
}
