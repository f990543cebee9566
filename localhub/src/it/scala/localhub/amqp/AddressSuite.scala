package localhub.amqp

import scala.jdk.CollectionConverters._

import org.apache.qpid.proton.amqp.messaging.{Accepted, MessageAnnotations, Rejected}
import org.apache.qpid.proton.amqp.transport.{Detach, Disposition}
import org.apache.qpid.proton.amqp.{Binary, Symbol}
import org.apache.qpid.proton.message.Message

import localhub.amqp.event.PartitionKeyHash
import testkit.TestSuite

/** Addresses of links, as bare paths and as URLs. */
class AddressSuite extends TestSuite with SpecTests with HubFixture {

  private def client(): FrameClient = closing(new FrameClient(server.port)).open()

  private def message(key: Option[String]): Array[Byte] = {
    val message = Message.Factory.create()
    message.setBody(new org.apache.qpid.proton.amqp.messaging.Data(new Binary("x".getBytes)))
    key.foreach { text =>
      val annotations = Map[Symbol, AnyRef](Symbol.valueOf("x-opt-partition-key") -> text)
      message.setMessageAnnotations(new MessageAnnotations(annotations.asJava))
    }
    val buffer = new Array[Byte](1000)
    java.util.Arrays.copyOf(buffer, message.encode(buffer, 0, buffer.length))
  }

  private val targets = Seq("hub1", "hub1/Partitions/2", "hub1/Publishers/device-7", "$" + "cbs", "$" + "management")

  private def forms(path: String): Seq[String] =
    Seq(path, s"/$path", s"amqps://localhost:5671/$path", s"sb://namespace.example/$path", path.toUpperCase)

  spec("3.5.4", "a target is a hub, a partition, a publisher or a node of the broker, as a path or as a URL") {
    for {
      target <- targets
      form <- if (target.startsWith("$")) forms(target).dropRight(1) else forms(target)
    } assert(client().attachSender(form).getTarget != null, form)
  }

  spec("3.5.3", "a source is a partition of a consumer group, as a path or as a URL, in upper or lower case") {
    forms("hub1/ConsumerGroups/cg1/Partitions/0").foreach { form =>
      assert(client().attachReceiver(form).getSource != null, form)
    }
  }

  spec("2.6.3", "the error for an unknown address says what was expected") {
    Seq("hub1/Partitions", "hub1/x/y/z", "hub1/ConsumerGroups/cg1", "").foreach { address =>
      val c = client()
      assert(c.attachSender(address).getTarget == null, address)
      val error = c.expect[Detach].getError
      assert(
        error.getCondition.toString == "amqp:not-found" && error.getDescription.contains("Expected '<hub>'"),
        address
      )
    }
  }

  test("a publisher's events have its name as partition key and go to that partition") {
    val c = client()
    c.attachSender("hub1/publishers/device-7")
    c.transfer(0, message(key = None))
    c.transfer(1, message(key = Some("device-7")))
    assert(Seq.fill(2)(c.expect[Disposition].getState).forall(_.isInstanceOf[Accepted]))
    val events = read(PartitionKeyHash.partitionOf("device-7", 4).toString, 2)
    assert(events.map(_.getData.getPartitionKey) == Seq("device-7", "device-7"))
    assert(events.forall(_.getData.getSystemProperties.get("x-opt-publisher") == "device-7"))
  }

  test("a publisher cannot send with another partition key") {
    val c = client()
    c.attachSender("hub1/publishers/device-7")
    c.transfer(0, message(key = Some("device-8")))
    c.expect[Disposition].getState match {
      case rejected: Rejected => assert(rejected.getError.getDescription.contains("'device-8'"))
      case other => fail(s"the outcome is $other")
    }
  }
}
