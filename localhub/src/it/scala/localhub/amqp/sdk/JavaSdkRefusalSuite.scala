package localhub.amqp.sdk

import scala.jdk.CollectionConverters._

import com.azure.core.amqp.exception.{AmqpErrorCondition, AmqpException}
import com.azure.messaging.eventhubs.EventData
import com.azure.messaging.eventhubs.models.SendOptions
import org.scalatest.Assertion

import localhub.amqp.{AmqpServer, HubFixture}
import localhub.log.{MemoryBudget, MemoryLog}
import localhub.namespace.{Namespace, StubHubStorage}
import testkit.TestSuite

/** Errors in the official Java SDK for requests that are not allowed or name unknown entities. */
class JavaSdkRefusalSuite extends TestSuite with HubFixture {

  private def assertFails(error: AmqpException, condition: AmqpErrorCondition, words: String*): Assertion = {
    assert(error.getErrorCondition == condition)
    assert(!error.isTransient)
    words.foreach(word => assert(error.getMessage.contains(word)))
    succeed
  }

  test("a wrong key is refused for sending, receiving and properties") {
    val wrong = connectionString(key = "WRONG")
    val unauthorized = AmqpErrorCondition.UNAUTHORIZED_ACCESS
    assertFails(
      amqpFailure(producer(wrong).send(Seq(new EventData("x")).asJava)),
      unauthorized,
      "401",
      "RootManageSharedAccessKey"
    )
    assertFails(amqpFailure(throw subscribe(consumer(wrong), "0").error()), unauthorized, "401")
    assertFails(amqpFailure(producer(wrong).getEventHubProperties), unauthorized, "401")
    assert(namespace.find("hub1").exists(_.partitions.forall(_.bounds.isEmpty)))
  }

  test("the error names an unknown policy") {
    val error = amqpFailure(producer(connectionString(policy = "nobody")).send(Seq(new EventData("x")).asJava))
    assertFails(error, AmqpErrorCondition.UNAUTHORIZED_ACCESS, "nobody")
  }

  test("the error names an unknown hub for sending, receiving and properties") {
    val unknown = connectionString("nohub")
    assertFails(
      amqpFailure(producer(unknown).send(Seq(new EventData("x")).asJava)),
      AmqpErrorCondition.NOT_FOUND,
      "nohub"
    )
    assertFails(amqpFailure(throw subscribe(consumer(unknown), "0").error()), AmqpErrorCondition.NOT_FOUND, "nohub")
    assertFails(amqpFailure(producer(unknown).getEventHubProperties), AmqpErrorCondition.NOT_FOUND, "nohub")
  }

  test("the error names an unknown consumer group and its hub") {
    val error = amqpFailure(throw subscribe(consumer(group = "nogroup"), "0").error())
    assertFails(error, AmqpErrorCondition.NOT_FOUND, "hub1", "nogroup")
  }

  test("the error names an unknown partition and the existing ones") {
    val outOfRange = AmqpErrorCondition.ARGUMENT_OUT_OF_RANGE_ERROR
    val send = amqpFailure(producer().send(Seq(new EventData("x")).asJava, new SendOptions().setPartitionId("9")))
    assertFails(send, outOfRange, "between 0 and 3")
    assertFails(amqpFailure(throw subscribe(consumer(), "9").error()), outOfRange, "between 0 and 3")
    // For the status code 400 the SDK does not look at the condition.
    val properties = intercept[IllegalArgumentException](producer().getPartitionProperties("9"))
    assert(properties.getMessage.contains("status-code: 400") && properties.getMessage.contains("between 0 and 3"))
  }

  test("an event over 1 MB is refused and not stored") {
    val error = amqpFailure(producer().send(Seq(new EventData(new Array[Byte](1024 * 1024))).asJava))
    assert(error.getErrorCondition == AmqpErrorCondition.LINK_PAYLOAD_SIZE_EXCEEDED)
    assert(namespace.find("hub1").exists(_.partitions.forall(_.bounds.isEmpty)))
  }

  test("a hub with full memory returns an error, and accepts events when there is room again") {
    val budget = new MemoryBudget(5000)
    val full = new Namespace(clock, new StubHubStorage(_ => new MemoryLog(clock, budget)))
    full.create("hub1", 1)
    val server = closing(new AmqpServer(full, policies, "127.0.0.1", 0, clock))
    val client = producer(s"Endpoint=sb://localhost:${server.port};SharedAccessKeyName=${policies.head.name};" +
      s"SharedAccessKey=${policies.head.key};UseDevelopmentEmulator=true;EntityPath=hub1")
    client.send(Seq(new EventData(new Array[Byte](3000))).asJava)
    val error = amqpFailure(client.send(Seq(new EventData(new Array[Byte](3000))).asJava))
    assertFails(error, AmqpErrorCondition.RESOURCE_LIMIT_EXCEEDED, "memory is full")
    full.find("hub1").foreach(_.partitions.head.trimBefore(1))
    client.send(Seq(new EventData(new Array[Byte](3000))).asJava)
  }

  test("readers and writers of a deleted hub get an error, and new ones too") {
    val client = producer()
    client.send(Seq(new EventData("x")).asJava, new SendOptions().setPartitionId("0"))
    val subscription = subscribe(consumer(), "0")
    subscription.next()
    namespace.delete("hub1")
    assertFails(amqpFailure(throw subscription.error()), AmqpErrorCondition.NOT_FOUND, "hub1")
    assertFails(amqpFailure(client.getEventHubProperties), AmqpErrorCondition.NOT_FOUND, "hub1")
  }
}
