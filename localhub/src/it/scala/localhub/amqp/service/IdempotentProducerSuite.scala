package localhub.amqp.service

import java.util.concurrent.CountDownLatch
import java.util.{HashMap => JHashMap}

import scala.jdk.CollectionConverters._

import org.apache.qpid.proton.amqp.messaging.{Accepted, Data, MessageAnnotations, Rejected, Source, Target}
import org.apache.qpid.proton.amqp.transport._
import org.apache.qpid.proton.amqp.{Binary, Symbol, UnsignedInteger}
import org.apache.qpid.proton.message.Message

import localhub.amqp.{AmqpServer, FrameClient, HubFixture}
import localhub.log.{DelegatingLog, EventEncoder, LogPosition, MemoryLog}
import localhub.namespace.{Namespace, StubHubStorage}
import testkit.TestSuite

/** Idempotent producers, frame by frame. */
class IdempotentProducerSuite extends TestSuite with HubFixture {

  /** What appends wait for, once a test has made the disk slow. */
  private var disk = new CountDownLatch(1)
  private var begun = new CountDownLatch(1)
  @volatile private var isDiskSlow = false

  private final class WaitingLog extends DelegatingLog(new MemoryLog(clock)) {
    override def appendWaits: Boolean = isDiskSlow
    override def append(count: Int, encoder: EventEncoder): LogPosition = {
      if (isDiskSlow) {
        begun.countDown()
        disk.await()
      }
      super.append(count, encoder)
    }
  }

  override protected def newServer(ignored: Namespace): AmqpServer = {
    val namespace = new Namespace(clock, new StubHubStorage(_ => new WaitingLog))
    namespace.create("hub1", 1)
    new AmqpServer(namespace, policies, "127.0.0.1", 0, clock)
  }

  private val capability = Symbol.valueOf("com.microsoft:idempotent-producer")

  private def client(): FrameClient = closing(new FrameClient(server.port)).open()

  private def property(name: String) = Symbol.valueOf(s"com.microsoft:producer-$name")

  private def attach(c: FrameClient, handle: Int, claims: (String, AnyRef)*): Attach = {
    sendAttach(c, handle, claims: _*)
    c.expect[Attach]
  }

  private def sendAttach(c: FrameClient, handle: Int, claims: (String, AnyRef)*): Unit = {
    val attach = new Attach
    attach.setName(s"producer-$handle")
    attach.setHandle(UnsignedInteger.valueOf(handle))
    attach.setRole(Role.SENDER)
    attach.setInitialDeliveryCount(UnsignedInteger.ZERO)
    attach.setDesiredCapabilities(capability)
    val properties = new JHashMap[Symbol, AnyRef]
    claims.foreach { case (name, value) => properties.put(property(name), value) }
    attach.setProperties(properties.asInstanceOf[java.util.Map[Symbol, Object]])
    val target = new Target
    target.setAddress("hub1/Partitions/0")
    attach.setTarget(target)
    attach.setSource(new Source)
    c.send(0, attach)
  }

  private def stateOf(attach: Attach): (Long, Short, Int) = {
    val properties = attach.getProperties.asInstanceOf[java.util.Map[Symbol, AnyRef]].asScala
    (
      properties(property("id")).asInstanceOf[Long],
      properties(property("epoch")).asInstanceOf[Short],
      properties(property("sequence-number")).asInstanceOf[Int]
    )
  }

  private def event(number: Int): Array[Byte] = {
    val message = Message.Factory.create()
    val annotations = new JHashMap[Symbol, AnyRef]
    annotations.put(property("sequence-number"), Int.box(number))
    message.setMessageAnnotations(new MessageAnnotations(annotations.asInstanceOf[java.util.Map[Symbol, Object]]))
    message.setBody(new Data(new Binary(s"$number".getBytes)))
    val buffer = new Array[Byte](1000)
    java.util.Arrays.copyOf(buffer, message.encode(buffer, 0, buffer.length))
  }

  private var nextDelivery = 0

  /** None when the event was accepted, otherwise the condition of its rejection. */
  private def sendEvent(c: FrameClient, number: Int, handle: Int = 0): Option[String] = {
    c.transfer(nextDelivery, event(number), handle)
    nextDelivery += 1
    c.expect[Disposition].getState match {
      case _: Accepted => None
      case rejected: Rejected => Some(rejected.getError.getCondition.toString)
      case other => fail(s"the outcome is $other")
    }
  }

  private def stored(): Seq[String] = {
    val bounds = namespace.find("hub1").get.partitions.head.bounds
    read("0", (bounds.lastSequenceNumber + 1).toInt).map(_.getData.getBodyAsString)
  }

  override protected def beforeEach(): Unit = {
    isDiskSlow = false
    disk = new CountDownLatch(1)
    begun = new CountDownLatch(1)
    super.beforeEach()
    nextDelivery = 0
  }

  test("a link without claims gets an id of its own, epoch 0 and -1; the capability is offered") {
    val c = client()
    val (first, second) = (attach(c, 0), attach(c, 1))
    assert(first.getOfferedCapabilities.toSeq == Seq(capability))
    val (id, epoch, last) = stateOf(first)
    assert(id > 0 && epoch == 0 && last == -1)
    assert(stateOf(second)._1 != id)
  }

  test("repeated events are accepted and stored once; an event after a gap is rejected") {
    val c = client()
    attach(c, 0)
    assert((0 to 2).map(sendEvent(c, _)) == Seq(None, None, None))
    assert(Seq(2, 0).map(sendEvent(c, _)) == Seq(None, None))
    assert(sendEvent(c, 4).contains("com.microsoft:out-of-order-sequence"))
    assert(sendEvent(c, 3).isEmpty)
    assert(stored() == Seq("0", "1", "2", "3"))
  }

  test("a link that is opened again continues with the last number, and the old one is fenced") {
    val c = client()
    val (id, epoch, _) = stateOf(attach(c, 0))
    (0 to 4).foreach(sendEvent(c, _))
    val other = client()
    val again = attach(other, 0, "id" -> Long.box(id), "epoch" -> Short.box(epoch))
    assert(stateOf(again) == ((id, epoch, 4)))
    assert(c.expect[Detach].getError.getCondition.toString == "com.microsoft:producer-epoch-stolen")
    nextDelivery = 0
    assert(sendEvent(other, 4).isEmpty && sendEvent(other, 5).isEmpty)
    assert(stored() == (0 to 5).map(_.toString))
  }

  test("a link with a lower epoch is refused") {
    val c = client()
    val (id, _, _) =
      stateOf(attach(c, 0, "id" -> Long.box(7), "epoch" -> Short.box(3), "sequence-number" -> Int.box(9)))
    assert(id == 7 && sendEvent(c, 10).isEmpty)
    val refused = attach(c, 1, "id" -> Long.box(7), "epoch" -> Short.box(2))
    assert(refused.getTarget == null)
    assert(c.expect[Detach].getError.getCondition.toString == "com.microsoft:producer-epoch-stolen")
    assert(sendEvent(c, 11).isEmpty, "the newer one is not affected")
  }

  test("an event without a number is rejected; links without the capability are not idempotent") {
    val c = client()
    attach(c, 0)
    c.transfer(0, FrameClient.event("x"))
    c.expect[Disposition].getState match {
      case rejected: Rejected => assert(rejected.getError.getCondition.toString == "com.microsoft:argument-error")
      case other => fail(s"the outcome is $other")
    }
    val plain = c.attachSender("hub1/Partitions/0", handle = 1, name = "plain")
    assert(plain.getProperties == null && plain.getOfferedCapabilities == null)
  }

  /** Sends the attach only; [[attach]] also reads the answer. */
  private def reopen(c: FrameClient, state: (Long, Short, Int)): Unit =
    sendAttach(c, 0, "id" -> Long.box(state._1), "epoch" -> Short.box(state._2))

  Seq("the same" -> 0, "a higher" -> 1).foreach { case (which, raise) =>
    test(s"a link of $which epoch starts after the old one's running append, and nothing that waited is stored twice") {
      isDiskSlow = true
      val c = client()
      val (id, epoch, _) = stateOf(attach(c, 0))
      (0 to 2).foreach(number => c.transfer(number, event(number)))
      // Its answer comes after the hub has taken the events.
      attach(c, 1)
      begun.await()
      val last = client()
      val state = (id, (epoch + raise).toShort, 0)
      reopen(last, state)
      // A session's answer shows that the attach before it has none yet.
      last.begin(1)
      assert(c.expect[Detach].getError.getCondition.toString == "com.microsoft:producer-epoch-stolen")
      disk.countDown()
      assert(stateOf(last.expect[Attach]) == state, "the first event was being stored, the others never are")
      assert((0 to 3).map(sendEvent(last, _)) == Seq(None, None, None, None))
      assert(stored() == (0 to 3).map(_.toString))
    }
  }

  test("a repeat of an event that waits for the disk is accepted only when it is stored, and stored once") {
    isDiskSlow = true
    val c = client()
    attach(c, 0)
    c.transfer(0, event(0))
    c.transfer(1, event(0))
    begun.await()
    assert(attach(c, 1).getTarget != null, "both are taken, and neither is accepted yet")
    disk.countDown()
    (0 to 1).foreach(_ => assert(c.expect[Disposition].getState.isInstanceOf[Accepted]))
    assert(stored() == Seq("0"))
  }

  test("a client that leaves while its link waits for an append does not keep the producer") {
    isDiskSlow = true
    val c = client()
    val state = stateOf(attach(c, 0))
    c.transfer(0, event(0))
    begun.await()
    val impatient = client()
    reopen(impatient, state)
    impatient.begin(1)
    impatient.close()
    disk.countDown()
    val last = client()
    reopen(last, state)
    assert(stateOf(last.expect[Attach])._3 == 0)
    nextDelivery = 0
    assert(sendEvent(last, 1).isEmpty)
    assert(stored() == Seq("0", "1"))
  }
}
