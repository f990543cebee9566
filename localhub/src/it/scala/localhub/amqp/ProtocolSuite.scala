package localhub.amqp

import org.apache.qpid.proton.amqp.UnsignedInteger
import org.apache.qpid.proton.amqp.transport._

import testkit.TestSuite

/** Connections, sessions and links of AMQP 1.0, frame by frame. */
class ProtocolSuite extends TestSuite with FrameFixture {

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
