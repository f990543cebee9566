package localhub.amqp.service

import java.time.Duration

import scala.jdk.CollectionConverters._

import com.azure.messaging.eventhubs.EventData
import com.azure.messaging.eventhubs.models.SendOptions
import org.apache.qpid.proton.amqp.messaging.{AmqpValue, ApplicationProperties, Source, Target}
import org.apache.qpid.proton.amqp.security.{SaslInit, SaslMechanisms, SaslOutcome}
import org.apache.qpid.proton.amqp.transport._
import org.apache.qpid.proton.amqp.{Symbol, UnsignedInteger, UnsignedLong}
import org.apache.qpid.proton.message.Message
import org.scalatest.Assertion

import localhub.amqp.server.AmqpLimits
import localhub.amqp.service.GoldenFrames.{hex, matches}
import localhub.amqp.{AmqpServer, FrameClient, HubFixture, ReceivedFrame}
import testkit.TestSuite

/** The hub writes the frames that public traces show of the service, byte for byte. */
class GoldenFramesSuite extends TestSuite with HubFixture {

  private val reader = "hub1/ConsumerGroups/$Default/Partitions/0"

  private def client(): FrameClient = closing(new FrameClient(server.port))

  private def golden(frame: ReceivedFrame, pattern: String): Assertion =
    assert(matches(frame.raw, pattern), s"${hex(frame.raw)} is not $pattern")

  private def firstOf[T <: FrameBody](c: FrameClient)(implicit tag: reflect.ClassTag[T]): ReceivedFrame =
    Iterator.continually(c.receive()).find(_.body.exists { case _: T => true; case _ => false }).get

  private def begin(c: FrameClient): Unit = {
    val begin = new Begin
    begin.setNextOutgoingId(UnsignedInteger.ZERO)
    begin.setIncomingWindow(UnsignedInteger.valueOf(2048))
    begin.setOutgoingWindow(UnsignedInteger.valueOf(2048))
    c.send(0, begin)
  }

  private def detach(c: FrameClient): Unit = {
    val detach = new Detach
    detach.setHandle(UnsignedInteger.ZERO)
    detach.setClosed(true)
    c.send(0, detach)
  }

  test("SASL: the mechanisms in their order, and a welcome") {
    val c = client()
    c.sendHeader(3)
    c.readHeader()
    val mechanisms = c.readSasl().asInstanceOf[SaslMechanisms].getSaslServerMechanisms.map(_.toString)
    assert(mechanisms.toSeq == Seq("MSSBCBS", "PLAIN", "ANONYMOUS", "EXTERNAL"))
    val init = new SaslInit
    init.setMechanism(Symbol.valueOf("ANONYMOUS"))
    c.sendSasl(init)
    val outcome = c.readSasl().asInstanceOf[SaslOutcome]
    assert(outcome.getCode.getValue.intValue == 0 && outcome.getAdditionalData.toString == "Welcome!")
  }

  test("open, begin, detach, end and close") {
    val c = client()
    assert(c.login(policies.head.name, policies.head.key))
    c.sendHeader(0)
    c.readHeader()
    val open = new Open
    open.setContainerId("x")
    c.send(0, open)
    golden(c.receive(), GoldenFrames.Open)
    begin(c)
    golden(c.receive(), GoldenFrames.Begin)
    c.attachReceiver(reader)
    detach(c)
    golden(c.receive(), GoldenFrames.Detach)
    c.send(0, new End)
    golden(c.receive(), GoldenFrames.End)
    c.send(0, new Close)
    golden(c.receive(), GoldenFrames.Close)
  }

  test("a link to send on: attach, credit, accepted event") {
    val c = client().open()
    val attach = c.attachSender("hub1/Partitions/0", name = "out")
    assert(attach.getSource != null && attach.getMaxMessageSize.longValue == 1048576)
    golden(c.receive(), GoldenFrames.credit("700000012c"))
    c.transfer(0, FrameClient.event("x"))
    golden(c.receive(), GoldenFrames.accepted("43"))
  }

  test("a link to $" + "cbs: the attach has no limit, the flow has a credit of 100") {
    val c = client().open()
    c.send(0, attachTo(Role.SENDER, "$" + "cbs", name = "out"))
    golden(c.receive(), GoldenFrames.attachWithoutLimit("out"))
    golden(c.receive(), GoldenFrames.credit("5264"))
  }

  test("the transfer of an event, and its annotations") {
    send("0", "a")
    val c = client().open()
    c.attachReceiver(reader)
    c.flow(1)
    golden(
      c.receive(),
      s"${GoldenFrames.Transfer} ${GoldenFrames.annotations(0, "0")} 005375 a001 61"
    )
  }

  test("the transfers of an event that is larger than a frame") {
    send("0", "a" * 3000)
    val c = client().open(configure = FrameClient.maxFrame(1024))
    c.attachReceiver(reader)
    c.flow(1)
    val frames = Iterator.continually(c.receive()).take(4).toSeq
    golden(frames.head, s"${GoldenFrames.FirstTransfer} ${GoldenFrames.annotations(0, "0")} 005375 b000000bb8 .*")
    golden(frames(1), s"${GoldenFrames.NextTransfer} (61)*")
    golden(frames(2), s"${GoldenFrames.NextTransfer} (61)*")
    golden(frames(3), s"${GoldenFrames.LastTransfer} (61)*")
    assert(frames.init.map(_.raw.length) == Seq(1016, 1016, 1016), "full frames: 8 bytes are the header")
  }

  test("runtime metrics come first in an event") {
    send("0", "a")
    val c = client().open()
    val attach = new Attach
    attach.setName("metrics")
    attach.setHandle(UnsignedInteger.ZERO)
    attach.setRole(Role.RECEIVER)
    attach.setDesiredCapabilities(Symbol.valueOf("com.microsoft:enable-receiver-runtime-metric"))
    val source = new Source
    source.setAddress(reader)
    attach.setSource(source)
    attach.setTarget(new Target)
    c.send(0, attach)
    c.flow(1)
    golden(
      firstOf[Transfer](c),
      s"${GoldenFrames.Transfer} ${GoldenFrames.metrics(0, "0")} ${GoldenFrames.annotations(0, "0")} 005375 a001 61"
    )
  }

  test("a refused attach in both directions") {
    val c = client().open()
    c.send(0, attachTo(Role.RECEIVER, "hub1/ConsumerGroups/nogroup/Partitions/0"))
    golden(c.receive(), GoldenFrames.refusedAttach("refused", isReceiver = false))
    val error = c.expect[Detach].getError
    assert(error.getCondition.toString == "amqp:not-found")
    assert(error.getDescription.startsWith(
      "The messaging entity 'localhost:eventhub:hub1~32766|nogroup' could not be found."
    ))
    detach(c)
    c.send(0, attachTo(Role.SENDER, "nohub"))
    golden(firstOf[Attach](c), GoldenFrames.refusedAttach("refused", isReceiver = true))
    assert(c.expect[Detach].getError.getDescription.startsWith(
      "The messaging entity 'sb://localhost/nohub' could not be found."
    ))
  }

  private def attachTo(role: Role, address: String, name: String = "refused"): Attach = {
    val attach = new Attach
    attach.setName(name)
    attach.setHandle(UnsignedInteger.ZERO)
    attach.setRole(role)
    val (source, target) = (new Source, new Target)
    if (role == Role.RECEIVER) source.setAddress(address) else target.setAddress(address)
    attach.setSource(source)
    attach.setTarget(target)
    if (role == Role.SENDER) {
      attach.setInitialDeliveryCount(UnsignedInteger.ZERO)
      attach.setSndSettleMode(SenderSettleMode.UNSETTLED)
    }
    attach
  }

  test("the detach of a link on a connection without readers or senders") {
    val limits = AmqpLimits(connectionWithoutLinks = Duration.ofSeconds(1))
    val strict = closing(new AmqpServer(namespace, policies, "127.0.0.1", 0, clock, limits = limits))
    val c = closing(new FrameClient(strict.port)).open()
    c.attachReceiver("$" + "cbs", name = "in")
    golden(firstOf[Detach](c), GoldenFrames.linkTracker(1000))
    golden(firstOf[End](c), GoldenFrames.End)
  }

  test("answers of $" + "management: the hub, a partition, an unknown partition, an unknown hub") {
    val c = client().open()
    c.attachSender("$" + "management", handle = 0, name = "out")
    c.attachReceiver("$" + "management", handle = 1, name = "in")
    c.flow(100, handle = 1)
    def ask(id: Int, name: String, partition: Option[String]): Message = {
      val request = Message.Factory.create()
      request.setMessageId(s"$id")
      request.setReplyTo("in")
      val kind = if (partition.isEmpty) "eventhub" else "partition"
      val properties = Seq("operation" -> "READ", "name" -> name, "type" -> s"com.microsoft:$kind") ++
        partition.map("partition" -> _)
      request.setApplicationProperties(new ApplicationProperties(
        properties.toMap[String, AnyRef].asJava.asInstanceOf[java.util.Map[String, Object]]
      ))
      request.setBody(new AmqpValue(""))
      val buffer = new Array[Byte](10000)
      c.transfer(id, java.util.Arrays.copyOf(buffer, request.encode(buffer, 0, buffer.length)))
      val payload = firstOf[Transfer](c).payload
      val answer = Message.Factory.create()
      answer.decode(payload, 0, payload.length)
      assert(answer.getCorrelationId == s"$id" && answer.getAddress == "in")
      answer
    }
    def properties(answer: Message) = answer.getApplicationProperties.getValue.asScala.toSeq
    def fields(answer: Message): Seq[(String, Class[_])] = answer.getBody match {
      case value: AmqpValue =>
        value.getValue.asInstanceOf[java.util.Map[String, AnyRef]].asScala.toSeq.map { case (key, field) =>
          key -> field.getClass
        }
      case other => fail(s"the body is $other")
    }
    val hub = ask(0, "hub1", None)
    assert(properties(hub) == Seq("operation" -> "READ", "status-code" -> 200))
    assert(fields(hub).map(_._1).take(5) == Seq("name", "type", "created_at", "partition_count", "partition_ids"))
    val partition = ask(1, "hub1", Some("0"))
    val types = fields(partition).toMap
    assert(Seq("begin_sequence_number", "last_enqueued_sequence_number").forall(types(_) == classOf[java.lang.Long]))
    assert(
      types("last_enqueued_offset") == classOf[String] && types("is_partition_empty") == classOf[java.lang.Boolean]
    )
    assert(types("last_enqueued_time_utc") == classOf[java.util.Date])
    val outOfRange = properties(ask(2, "hub1", Some("9"))).toMap
    assert(outOfRange("status-code") == 400)
    assert(outOfRange("error-condition") == Symbol.valueOf("com.microsoft:argument-out-of-range"))
    assert(outOfRange("status-description").toString.contains("It should be between 0 and 3."))
    val unknown = properties(ask(3, "nohub", None)).toMap
    assert(unknown("status-code") == 404)
    assert(unknown("status-description").toString.startsWith(
      "The messaging entity 'sb://localhost/nohub' could not be found."
    ))
  }

  test("the answer to a throttled event") {
    server.throughput.set("hub1", 1)
    val producerClient = producer()
    val toZero = new SendOptions().setPartitionId("0")
    val busy = amqpFailure((1 to 4).foreach(_ =>
      producerClient.send(Seq(new EventData(new Array[Byte](700000))).asJava, toZero)
    ))
    assert(busy.getMessage.contains(
      "The request was terminated because the entity is being throttled. Error code : 50002. Sub error : 102. " +
        "Please wait 4 seconds and try again. S:N:LOCALHOST:EVENTHUB:HUB1~32766 TrackingId:"
    ))
  }

  test("an oversize event is rejected, and its link takes the next one") {
    val c = client().open()
    val attach = attachTo(Role.SENDER, "hub1/Partitions/0", name = "out")
    attach.setMaxMessageSize(UnsignedLong.valueOf(1000L))
    c.send(0, attach)
    c.expect[Flow]
    c.transfer(0, FrameClient.event("x" * 200) ++ Seq.fill(10)(FrameClient.event("x" * 200)).flatten)
    golden(c.receive(), GoldenFrames.oversize("43", size = 11 * 205, limit = 1000))
    c.transfer(1, FrameClient.event("x"))
    golden(c.receive(), GoldenFrames.accepted("5201"))
  }
}
