package localhub.amqp

import org.apache.qpid.proton.amqp.messaging.Target
import org.apache.qpid.proton.amqp.transport._
import org.apache.qpid.proton.amqp.{UnsignedInteger, UnsignedLong}

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

  spec("1.6.22", "a performative of any length is encoded as a list, around the limit of the short encoding too") {
    val c = client().open()
    Seq(1, 100, 120, 140, 160, 180, 200, 220, 300, 5000).zipWithIndex.foreach { case (length, handle) =>
      val name = "n" * length
      val answer = c.attachReceiver(reader.replace("$Default", "cg1"), handle = handle % 5, name = name)
      assert(answer.getName == name && answer.getSource != null, length)
      val detach = new Detach
      detach.setHandle(UnsignedInteger.valueOf(handle % 5))
      detach.setClosed(true)
      c.send(0, detach)
      c.expect[Detach]
    }
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
    assert(condition(c.expect[End].getError) == "amqp:unauthorized-access")
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

  spec("2.7.2", "a handle above handle-max ends the session") {
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
    val error = c.expect[End].getError
    assert(condition(error) == "amqp:resource-limit-exceeded")
    assert(error.getDescription.startsWith("Cannot allocate more handles. The maximum number of handles is 255."))
    assert(c.attachReceiver(reader).getSource != null)
  }

  spec("2.5.7", "a frame for a handle without a link ends the session, and only that one") {
    val frames =
      Seq[FrameClient => Unit](c => c.flow(1, handle = 7, channel = 1), c => c.transfer(0, message("x"), 7, 1))
    frames.foreach { send =>
      val c = client().open()
      c.begin(1)
      send(c)
      val error = c.expect[End].getError
      assert(condition(error) == "amqp:session:unattached-handle")
      assert(error.getDescription.startsWith("The link handle '7' cannot be found in session '"))
      send(c)
      assert(c.attachReceiver(reader).getSource != null)
    }
  }

  spec("2.5.1", "the server announces the client's own window as its outgoing window") {
    val c = client().open()
    assert(c.begin(1, incomingWindow = 77).getOutgoingWindow.intValue == 77)
    c.attachSender("hub1/Partitions/0", channel = 1)
    assert(c.expect[Flow].getOutgoingWindow.intValue == 77)
  }

  spec("2.6.3", "an attach that the server refuses has the link's name, handle and role, and nothing else") {
    val c = client().open()
    Seq[FrameClient => Attach](
      _.attachReceiver("hub1/ConsumerGroups/$Default/Partitions/9", handle = 1, name = "in"),
      _.attachSender("hub1/Partitions/9", handle = 2, name = "out")
    ).foreach { attach =>
      val answer = attach(c)
      // The decoder has defaults for the settle modes; GoldenFramesSuite checks the bytes.
      val fields = Seq[AnyRef](
        answer.getSource,
        answer.getTarget,
        answer.getUnsettled,
        answer.getInitialDeliveryCount,
        answer.getMaxMessageSize,
        answer.getOfferedCapabilities,
        answer.getDesiredCapabilities,
        answer.getProperties
      )
      assert(answer.getName.nonEmpty && fields.forall(_ == null))
      val error = c.expect[Detach].getError
      assert(condition(error) == "com.microsoft:argument-out-of-range")
      assert(error.getDescription.startsWith(
        "The specified partition is invalid for an EventHub partition sender or receiver. " +
          "It should be between 0 and 3.\nParameter name: PartitionId TrackingId:"
      ))
    }
  }

  spec("2.6.10", "the largest message is the smaller one of the client's and the server's; nodes have no limit") {
    def asking(size: Long): Attach = {
      val attach = new Attach
      attach.setName(s"asks-$size")
      attach.setHandle(UnsignedInteger.valueOf(size % 200))
      attach.setRole(Role.SENDER)
      val target = new Target
      target.setAddress("hub1")
      attach.setTarget(target)
      attach.setInitialDeliveryCount(UnsignedInteger.ZERO)
      attach.setMaxMessageSize(UnsignedLong.valueOf(size))
      attach
    }
    val c = client().open()
    Seq(0L -> 1048576L, 1000L -> 1000L, 5000000L -> 1048576L).foreach { case (asked, answered) =>
      c.begin(1)
      c.send(1, asking(asked))
      assert(c.expect[Attach].getMaxMessageSize.longValue == answered, asked)
      c.send(1, new End)
      c.expect[End]
    }
    val unlimited = UnsignedLong.valueOf("18446744073709551615")
    assert(c.attachSender("$" + "cbs", handle = 1, name = "a").getMaxMessageSize == unlimited)
    assert(c.attachReceiver("hub1/$" + "management", handle = 2, name = "b").getMaxMessageSize == unlimited)
  }

  spec("2.7.1", "a frame above max-frame-size is a framing error") {
    val c = client().open()
    c.sendBytes(Array(0x7f, 0, 0, 0, 2, 0, 0, 0).map(_.toByte))
    assert(condition(c.expect[Close].getError) == "amqp:connection:framing-error")
    assert(c.isClosedByServer)
  }

  spec("2.4.3", "the server waits for the peer's CLOSE after its own") {
    val c = client().open()
    c.sendBytes(new Array[Byte](8))
    c.expect[Close]
    // Each of them is written: a socket that the server has closed would refuse the second one.
    (1 to 20).foreach(_ => c.send(0, new Close))
    assert(c.isClosedByServer)
    c.close()
    eventually("the connection is gone")(server.counters.openConnections == 0)
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
