package localhub.amqp

import org.apache.qpid.proton.amqp.UnsignedInteger
import org.apache.qpid.proton.amqp.messaging.{Source, Target}
import org.apache.qpid.proton.amqp.transport._

import testkit.TestSuite

/** Flow frames: credit, windows and states of links and sessions. */
class FlowSuite extends TestSuite with FrameFixture {

  private def ask(c: FrameClient, configure: Flow => Unit): Flow = {
    val flow = c.sessionFlow(window = 100, received = 0)
    flow.setEcho(true)
    configure(flow)
    c.send(0, flow)
    c.expect[Flow]
  }

  spec("2.7.4", "a flow with echo is answered with the state of the session") {
    val state = ask(client().open(), _ => ())
    assert(Option(state.getHandle).isEmpty && state.getNextIncomingId.intValue == 0)
    assert(state.getNextOutgoingId.intValue == 1 && state.getIncomingWindow.longValue > 0)
  }

  spec(
    "2.7.4",
    "a flow with echo for a receiving link is answered with the delivery count and the remaining credit"
  ) {
    send("0", "a", "b", "c")
    val c = client().open()
    c.attachReceiver(reader, handle = 7)
    c.flow(5, handle = 7)
    (1 to 3).foreach(_ => assert(c.receive().body.exists(_.isInstanceOf[Transfer])))
    val state = ask(
      c,
      flow => {
        flow.setNextIncomingId(UnsignedInteger.valueOf(4))
        flow.setHandle(UnsignedInteger.valueOf(7))
        flow.setDeliveryCount(UnsignedInteger.valueOf(3))
        flow.setLinkCredit(UnsignedInteger.valueOf(2))
      }
    )
    assert(state.getDeliveryCount.intValue == 3 && state.getLinkCredit.intValue == 2 && !state.getDrain)
    assert(state.getNextOutgoingId.intValue == 4)
  }

  spec("2.7.4", "a flow with echo for a sending link is answered with its credit") {
    val c = client().open()
    c.attachSender("hub1/Partitions/0", handle = 3)
    val granted = c.expect[Flow].getLinkCredit.intValue
    val state = ask(
      c,
      flow => {
        flow.setHandle(UnsignedInteger.valueOf(3))
        flow.setDeliveryCount(UnsignedInteger.ZERO)
      }
    )
    assert(granted == 300 && state.getLinkCredit.intValue == granted && state.getDeliveryCount.intValue == 0)
  }

  spec("2.7.4", "a flow with echo on a channel without a session does not affect other connections") {
    val c = client().open()
    c.send(5, c.sessionFlow(window = 100, received = 0))
    val other = client().open()
    assert(other.attachReceiver(reader).getSource != null)
  }

  private def echo(c: FrameClient, handle: Option[Int]): Flow = {
    val flow = c.sessionFlow(window = 100, received = 0)
    flow.setEcho(true)
    handle.foreach { number =>
      flow.setHandle(UnsignedInteger.valueOf(number))
      flow.setDeliveryCount(UnsignedInteger.ZERO)
      flow.setLinkCredit(UnsignedInteger.ZERO)
    }
    flow
  }

  spec("2.7.4", "a flow with echo that comes with the begin or the attach is answered after them, on their channel") {
    val c = client().open()
    val begin = new Begin
    begin.setNextOutgoingId(UnsignedInteger.ZERO)
    begin.setIncomingWindow(UnsignedInteger.valueOf(100))
    begin.setOutgoingWindow(UnsignedInteger.valueOf(100))
    c.sendBytes(c.frame(1, begin) ++ c.frame(1, echo(c, None)))
    val answers = Seq.fill(2)(c.receive())
    assert(answers.map(_.body.map(_.getClass.getSimpleName)) == Seq(Some("Begin"), Some("Flow")))
    assert(answers.map(_.channel).distinct == Seq(1))
    val attach = new Attach
    attach.setName("writer")
    attach.setHandle(UnsignedInteger.valueOf(7))
    attach.setRole(Role.SENDER)
    attach.setInitialDeliveryCount(UnsignedInteger.ZERO)
    val target = new Target
    target.setAddress("hub1/Partitions/0")
    attach.setTarget(target)
    attach.setSource(new Source)
    c.sendBytes(c.frame(1, attach) ++ c.frame(1, echo(c, Some(7))))
    val attached = c.expect[Attach].getHandle
    assert(Seq.fill(2)(c.expect[Flow]).forall(flow => flow.getHandle == attached && flow.getLinkCredit.intValue == 300))
  }

  spec("2.7.4", "a flow with echo for a session that the server has ended has no answer") {
    val c = client().open()
    c.transfer(0, message("x"), handle = 9)
    c.expect[End]
    c.send(0, echo(c, None))
    c.begin(3)
    c.send(3, echo(c, None))
    assert(c.receive().channel == 0, "the new session's channel is free again")
  }

  spec("2.6.7", "drain with more events than credit sends the events, and no flow before them") {
    send("0", "a", "b", "c")
    val c = client().open()
    c.attachReceiver(reader)
    c.flow(2, drain = true)
    assert(Seq.fill(2)(c.receive()).forall(_.body.exists(_.isInstanceOf[Transfer])))
    c.flow(1, deliveryCount = 2, received = 2)
    assert(c.expect[Transfer].getDeliveryId.intValue == 2)
  }

  spec("2.6.7", "a sender gets new credit as its deliveries are settled, so it can send without end") {
    val c = client().open()
    c.attachSender("hub1/Partitions/0")
    val message = Array(0x00, 0x53, 0x75, 0xa0, 1, 'x'.toInt).map(_.toByte)
    var allowed = c.expect[Flow].getLinkCredit.longValue
    (0 until 1000).foreach { id =>
      if (id >= allowed) {
        val flow = c.expect[Flow]
        allowed = flow.getDeliveryCount.longValue + flow.getLinkCredit.longValue
      }
      c.transfer(id, message)
    }
    eventually("all are stored")(namespace.find("hub1").exists(_.partitions.head.bounds.lastSequenceNumber == 999))
  }

  spec("2.6.12", "deliveries to readers are sent settled, and deliveries of producers are settled with their outcome") {
    send("0", "a")
    val c = client().open()
    assert(c.attachReceiver(reader).getSndSettleMode == SenderSettleMode.SETTLED)
    c.flow(1)
    assert(c.expect[Transfer].getSettled)
    c.attachSender("hub1/Partitions/1", handle = 1)
    c.transfer(0, Array(0x00, 0x53, 0x75, 0xa0, 1, 'x'.toInt).map(_.toByte), handle = 1)
    assert(c.expect[Disposition].getSettled)
  }
}
