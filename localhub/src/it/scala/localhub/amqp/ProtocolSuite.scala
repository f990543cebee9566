package localhub.amqp

import java.nio.charset.StandardCharsets.UTF_8

import org.apache.qpid.proton.amqp.messaging.{Accepted, Data, Rejected}
import org.apache.qpid.proton.amqp.transport._
import org.apache.qpid.proton.amqp.{Binary, UnsignedInteger}
import org.apache.qpid.proton.message.Message

import localhub.amqp.fault.{Fault, FaultAction, Occasion}
import testkit.TestSuite

/** AMQP 1.0, frame by frame. */
class ProtocolSuite extends TestSuite with SpecTests with HubFixture {

  private val reader = "hub1/ConsumerGroups/$Default/Partitions/0"

  private def client(): FrameClient = closing(new FrameClient(server.port))

  private def message(body: String): Array[Byte] = {
    val message = Message.Factory.create()
    message.setBody(new Data(new Binary(body.getBytes(UTF_8))))
    val buffer = new Array[Byte](1 << 21)
    java.util.Arrays.copyOf(buffer, message.encode(buffer, 0, buffer.length))
  }

  private def body(payload: Array[Byte]): String = {
    val message = Message.Factory.create()
    message.decode(payload, 0, payload.length)
    message.getBody.asInstanceOf[Data].getValue.toString
  }

  private def append(partition: Int, bodies: String*): Unit = send(partition.toString, bodies: _*)

  private def condition(error: ErrorCondition): String = error.getCondition.toString

  /** Number of fields of a performative: of list8 or list32, never the list0 that the Python SDK cannot read. */
  private def fieldCount(raw: Array[Byte]): Int = raw(3) & 0xff match {
    case 0xc0 => raw(5) & 0xff
    case 0xd0 => java.nio.ByteBuffer.wrap(raw, 8, 4).getInt
    case other => throw new AssertionError(f"a performative is encoded as 0x$other%02x")
  }

  spec("1.4", "every performative is written with all its fields") {
    val c = client()
    assert(c.login(policies.head.name, policies.head.key))
    c.sendHeader(0)
    c.readHeader()
    val open = new Open
    open.setContainerId("x")
    c.send(0, open)
    assert(fieldCount(c.receive().raw) == 10)
    append(0, "a")
    val begin = new Begin
    begin.setNextOutgoingId(UnsignedInteger.ZERO)
    begin.setIncomingWindow(UnsignedInteger.valueOf(100))
    begin.setOutgoingWindow(UnsignedInteger.valueOf(100))
    c.send(0, begin)
    assert(fieldCount(c.receive().raw) == 8)
    val sent = c.attachSender("hub1/Partitions/1", handle = 1)
    assert(sent.getMaxMessageSize.longValue == 1048576)
    assert(fieldCount(c.receive().raw) == 11) // flow
    c.transfer(0, message("x"), handle = 1)
    assert(fieldCount(c.receive().raw) == 6) // disposition
    c.attachReceiver(reader)
    c.flow(10)
    assert(fieldCount(c.receive().raw) == 11) // transfer
    val detach = new Detach
    detach.setHandle(UnsignedInteger.ZERO)
    detach.setClosed(true)
    c.send(0, detach)
    assert(fieldCount(c.receive().raw) == 3)
    c.send(0, new End)
    assert(fieldCount(c.receive().raw) == 1)
    c.send(0, new Close)
    assert(fieldCount(c.receive().raw) == 1)
  }

  spec("2.2", "an unsupported protocol is answered with the supported header, and the connection is closed") {
    val c = client()
    c.sendHeader(2)
    assert(c.readHeader() == "AMQP".getBytes.toSeq ++ Seq[Byte](3, 1, 0, 0))
    assert(c.isClosedByServer)
  }

  spec("5.3", "the SASL layer is optional; links without it still need a token") {
    val c = client()
    c.sendHeader(0)
    assert(c.readHeader() == "AMQP".getBytes.toSeq ++ Seq[Byte](0, 1, 0, 0))
    val open = new Open
    open.setContainerId("x")
    c.send(0, open)
    c.begin(0)
    assert(c.attachReceiver(reader).getSource == null)
    assert(condition(c.expect[Detach].getError) == "amqp:unauthorized-access")
  }

  spec("5.3.2", "SASL PLAIN with a wrong key is refused") {
    val c = client()
    assert(!c.login(policies.head.name, "WRONG"))
    assert(c.isClosedByServer)
  }

  spec("2.6.3", "a refused link is attached without source and detached with the error") {
    val c = client().open()
    assert(c.attachReceiver("nohub/ConsumerGroups/$Default/Partitions/0").getSource == null)
    val detach = c.expect[Detach]
    assert(detach.getClosed && condition(detach.getError) == "amqp:not-found")
  }

  spec("3.5.3", "an address may be a URL of any scheme and port") {
    val c = client().open()
    append(0, "a")
    assert(c.attachReceiver(s"amqps://localhost:5671/$reader").getSource != null)
    c.flow(1)
    assert(c.receive().body.exists(_.isInstanceOf[Transfer]))
  }

  spec("2.6.7", "the server sends no more than the link credit, and a repeated flow adds none") {
    val c = client().open()
    append(0, "a", "b", "c", "d")
    c.attachReceiver(reader)
    c.flow(2)
    assert(Seq(c.receive(), c.receive()).map(f => body(f.payload)) == Seq("a", "b"))
    c.flow(2, deliveryCount = 0, received = 2)
    c.flow(2, deliveryCount = 0, received = 2)
    c.flow(1, deliveryCount = 2, received = 2)
    assert(body(c.receive().payload) == "c")
    c.flow(1, deliveryCount = 3, received = 3, drain = true)
    assert(body(c.receive().payload) == "d")
  }

  spec("2.6.7", "drain: with nothing to send, the credit is returned at once") {
    val c = client().open()
    append(0, "a")
    c.attachReceiver(reader)
    c.flow(10, drain = true)
    assert(body(c.receive().payload) == "a")
    val flow = c.expect[Flow]
    assert(flow.getLinkCredit.intValue == 0 && flow.getDeliveryCount.intValue == 10 && flow.getDrain)
    append(0, "b")
    c.flow(1, deliveryCount = 10, received = 1)
    assert(body(c.receive().payload) == "b")
  }

  spec("2.5.6", "the server sends no more than the session window, and continues after a flow without a link") {
    val c = client().open()
    append(0, "a", "b", "c")
    c.attachReceiver(reader)
    c.flow(10, window = 2)
    assert(Seq(c.receive(), c.receive()).map(f => body(f.payload)) == Seq("a", "b"))
    c.attachReceiver(
      "hub1/ConsumerGroups/$Default/Partitions/3",
      handle = 1,
      name = "other"
    ) // answered before any transfer
    c.send(0, c.sessionFlow(window = 5, received = 2))
    assert(body(c.receive().payload) == "c")
  }

  spec("2.3.1", "frames are never larger than the peer's limit; a large event is split") {
    val c = client().open(configure = FrameClient.maxFrame(512))
    val large = "x" * 5000
    append(0, large)
    c.attachReceiver(reader)
    c.flow(1, window = 100)
    val frames = Iterator.continually(c.receive()).takeWhile(_.body.exists(_.asInstanceOf[Transfer].getMore)).toSeq
    assert(frames.nonEmpty && frames.forall(_.raw.length + 8 <= 512))
  }

  spec("2.6.14", "a large event may arrive in many small frames") {
    val c = client().open()
    c.attachSender("hub1/Partitions/0")
    val bytes = message("y" * 3000)
    bytes.grouped(100).toSeq.zipWithIndex.foreach { case (part, i) =>
      c.transfer(0, part, more = (i + 1) * 100 < bytes.length)
    }
    val disposition = c.expect[Disposition]
    assert(disposition.getSettled && disposition.getState.isInstanceOf[Accepted])
    assert(read("0", 1).head.getData.getBodyAsString == "y" * 3000)
  }

  spec("2.7.3", "a message over the link's limit is refused before it is complete, and the connection stays open") {
    val c = client().open()
    c.attachSender("hub1/Partitions/0")
    (0 to 21).foreach(_ => c.transfer(0, new Array[Byte](50000), more = true))
    assert(condition(c.expect[Detach].getError) == "amqp:link:message-size-exceeded")
    assert(c.attachSender("hub1/Partitions/0", handle = 1, name = "next").getTarget != null)
  }

  spec("2.7.3", "a complete message over the link's limit is rejected with the reason, and its link is detached") {
    val c = client().open()
    c.attachSender("hub1/Partitions/0")
    val bytes = message("x" * (1024 * 1024))
    bytes.grouped(60000).toSeq.zipWithIndex.foreach { case (part, i) =>
      c.transfer(0, part, more = (i + 1) * 60000 < bytes.length)
    }
    c.expect[Disposition].getState match {
      case rejected: Rejected => assert(condition(rejected.getError) == "amqp:link:message-size-exceeded")
      case other => fail(s"the outcome is $other")
    }
    assert(condition(c.expect[Detach].getError) == "amqp:link:message-size-exceeded")
  }

  spec("3.4.3", "the error of a rejected delivery is written with all its fields") {
    server.faults.inject(Fault(FaultAction.Throttle, Occasion.Send))
    val c = client().open()
    c.attachSender("hub1/Partitions/0")
    c.transfer(0, message("x"))
    val rejection = Iterator.continually(c.receive()).find(_.body.exists {
      case disposition: Disposition => disposition.getState.isInstanceOf[Rejected]
      case _ => false
    }).get
    val error = rejection.raw.indexOfSlice(Array(0x00, 0x53, 0x1d).map(_.toByte))
    assert(error > 0 && fieldCount(rejection.raw.drop(error)) == 3)
  }

  spec("2.8.15", "a message that cannot be decoded detaches its link") {
    val c = client().open()
    c.attachSender("hub1/Partitions/0")
    c.transfer(0, Array(1, 2, 3))
    assert(condition(c.expect[Detach].getError) == "amqp:decode-error")
  }

  test("a second $" + "cbs link of a connection is refused") {
    val c = client().open()
    assert(c.attachSender("$" + "cbs", handle = 0, name = "one").getTarget != null)
    assert(c.attachSender("$" + "cbs", handle = 1, name = "two").getTarget == null)
    assert(condition(c.expect[Detach].getError) == "amqp:not-allowed")
  }

  spec("2.5.1", "links of several sessions of one connection are independent") {
    val c = client().open()
    append(0, "zero")
    append(1, "one")
    c.begin(1)
    c.attachReceiver(reader, channel = 0)
    c.attachReceiver("hub1/ConsumerGroups/$Default/Partitions/1", channel = 1)
    c.flow(5, channel = 1)
    assert(body(c.receive().payload) == "one")
    c.flow(5, channel = 0)
    assert(body(c.receive().payload) == "zero")
  }

  spec("2.5.2", "the end of a session ends only its links") {
    val c = client().open()
    c.begin(1)
    c.attachReceiver(reader, channel = 0)
    c.attachReceiver("hub1/ConsumerGroups/$Default/Partitions/1", channel = 1)
    assert(server.readers.map(_.partition).sorted == Seq("0", "1"))
    c.send(1, new End)
    c.expect[End]
    assert(server.readers.map(_.partition) == Seq("0"))
  }

  spec("2.7.2", "a handle above handle-max is a framing error") {
    val c = client().open()
    val begin = c.begin(1)
    assert(begin.getHandleMax.longValue == 255 && begin.getIncomingWindow.longValue == 5000)
    c.sendBytes {
      val attach = new Attach
      attach.setName("x")
      attach.setHandle(UnsignedInteger.valueOf(256))
      attach.setRole(Role.SENDER)
      c.frame(1, attach)
    }
    assert(condition(c.expect[Close].getError) == "amqp:connection:framing-error")
    assert(c.isClosedByServer)
  }

  spec("2.7.1", "a frame above max-frame-size is a framing error") {
    val c = client().open()
    c.sendBytes(Array(0x7f, 0, 0, 0, 2, 0, 0, 0).map(_.toByte))
    assert(condition(c.expect[Close].getError) == "amqp:connection:framing-error")
    assert(c.isClosedByServer)
  }

  spec("2.4.3", "a broken connection leaves no reader") {
    val c = client().open()
    c.attachReceiver(reader)
    assert(server.readers.size == 1)
    c.close()
    eventually("the reader is removed")(server.readers.isEmpty && server.counters.openConnections == 0)
  }

  test("the server reports readers and counters") {
    append(0, "a", "b")
    val c = client().open()
    c.attachReceiver(reader, name = "my-link")
    c.flow(10)
    c.receive()
    c.receive()
    eventually("both events are counted")(server.counters.eventsOut == 2)
    val view = server.readers.head
    assert(view.hub == "hub1" && view.consumerGroup == "$Default" && view.partition == "0" && view.name == "my-link")
    assert(view.nextSequenceNumber == 2 && view.credit == 8 && view.epoch.isEmpty && view.connection.endsWith(
      "/frame-client"
    ))
    assert(server.counters.eventsIn == 2 && server.counters.bytesIn > 0 && server.counters.bytesOut > 0)
    assert(c.attachReceiver(reader, handle = 1, name = "second").getMaxMessageSize.longValue == 1048576)
  }

  spec("2.6.4", "a thousand links, opened and closed one after the other on one connection, leave no reader") {
    val c = client().open()
    (1 to 1000).foreach { i =>
      assert(c.attachReceiver(reader, name = s"link-$i").getSource != null)
      val detach = new Detach
      detach.setHandle(UnsignedInteger.ZERO)
      detach.setClosed(true)
      c.send(0, detach)
      assert(c.expect[Detach].getError == null)
    }
    assert(server.readers.isEmpty)
  }
}
