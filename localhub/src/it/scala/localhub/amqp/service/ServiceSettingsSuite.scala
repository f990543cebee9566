package localhub.amqp.service

import java.time.{Duration, Instant}

import scala.jdk.CollectionConverters._

import com.azure.core.amqp.exception.AmqpException
import com.azure.messaging.eventhubs.models.{CreateBatchOptions, SendOptions}
import com.azure.messaging.eventhubs.{EventData, EventHubProducerClient}
import org.apache.qpid.proton.amqp.UnsignedInteger
import org.apache.qpid.proton.amqp.messaging.{Accepted, Source, Target}
import org.apache.qpid.proton.amqp.transport._

import localhub.ServiceSettings
import localhub.amqp.{AmqpServer, FrameClient, HubFixture}
import localhub.log.ManualClock
import testkit.TestSuite

/** Rules of the service that can be switched on, over plain AMQP. */
class ServiceSettingsSuite extends TestSuite with HubFixture {

  private val time = new ManualClock(Instant.parse("2026-01-01T00:00:00Z").toEpochMilli)

  private def serverWith(service: ServiceSettings, manualTime: Boolean = false): AmqpServer = closing(
    new AmqpServer(namespace, policies, "127.0.0.1", 0, if (manualTime) time else clock, service = service)
  )

  private def producerOf(server: AmqpServer): EventHubProducerClient = producer(
    s"Endpoint=sb://localhost:${server.port};SharedAccessKeyName=${policies.head.name};" +
      s"SharedAccessKey=${policies.head.key};UseDevelopmentEmulator=true;EntityPath=hub1"
  )

  test("requests for properties above the limit of a second are refused as busy, and answered in the next second") {
    val client = producerOf(serverWith(ServiceSettings(managementPerSecond = Some(3)), manualTime = true))
    (1 to 3).foreach(_ => client.getPartitionProperties("0"))
    val busy = intercept[AmqpException](client.getPartitionProperties("0"))
    assert(busy.isTransient && busy.getMessage.contains("status-code: 503"))
    assert(busy.getMessage.contains("Error code : 50002. Sub error : 102. Please wait 4 seconds and try again."))
    time.now += 1000
    assert(client.getEventHubProperties.getName == "hub1")
  }

  test("answers with partition properties may be old; those of the hub are not") {
    val client = producerOf(
      serverWith(ServiceSettings(managementMaxAge = Duration.ofSeconds(5)), manualTime = true)
    )
    def last(partition: String) = client.getPartitionProperties(partition).getLastEnqueuedSequenceNumber
    assert(last("0") == -1)
    send("0", "a", "b")
    send("1", "a")
    assert(last("0") == -1 && last("1") == 0)
    time.now += 4999
    assert(last("0") == -1)
    time.now += 1
    assert(last("0") == 1)
  }

  test("the largest event follows the tier") {
    val small = producerOf(serverWith(ServiceSettings(maxMessageBytes = 256 * 1024)))
    assert(small.createBatch().getMaxSizeInBytes == 256 * 1024)
    val large = producerOf(serverWith(ServiceSettings(maxMessageBytes = 20 * 1024 * 1024)))
    val toZero = new CreateBatchOptions().setPartitionId("0")
    val batch = large.createBatch(toZero)
    assert(batch.getMaxSizeInBytes == 20 * 1024 * 1024)
    val body = Array.tabulate(19 * 1024 * 1024)(_.toByte)
    assert(batch.tryAdd(new EventData(body)))
    large.send(batch)
    assert(java.util.Arrays.equals(read("0", 1).head.getData.getBody, body))
  }

  private def attachUnsettled(c: FrameClient, secondMode: Boolean): Attach = {
    val attach = new Attach
    attach.setName("unsettled")
    attach.setHandle(UnsignedInteger.ZERO)
    attach.setRole(Role.RECEIVER)
    attach.setSndSettleMode(SenderSettleMode.UNSETTLED)
    attach.setRcvSettleMode(if (secondMode) ReceiverSettleMode.SECOND else ReceiverSettleMode.FIRST)
    val source = new Source
    source.setAddress("hub1/ConsumerGroups/$Default/Partitions/0")
    attach.setSource(source)
    attach.setTarget(new Target)
    c.send(0, attach)
    c.expect[Attach]
  }

  private def settle(c: FrameClient, first: Int, last: Int, settled: Boolean): Unit = {
    val disposition = new Disposition
    disposition.setRole(Role.RECEIVER)
    disposition.setFirst(UnsignedInteger.valueOf(first))
    disposition.setLast(UnsignedInteger.valueOf(last))
    disposition.setSettled(settled)
    disposition.setState(Accepted.getInstance)
    c.send(0, disposition)
  }

  Seq(false, true).foreach { secondMode =>
    test(s"events are unsettled for a reader that asks for it, ${if (secondMode) "second" else "first"} mode") {
      send("0", (0 until 300).map(i => s"$i"): _*)
      val c = closing(new FrameClient(serverWith(ServiceSettings(unsettledReaders = true)).port)).open()
      val answer = attachUnsettled(c, secondMode)
      assert(answer.getSndSettleMode == SenderSettleMode.UNSETTLED)
      c.flow(200)
      val transfers = Seq.fill(200)(c.expect[Transfer])
      assert(!transfers.exists(_.getSettled == java.lang.Boolean.TRUE))
      assert(transfers.map(_.getDeliveryTag).distinct.size == 200)
      settle(c, 0, 99, settled = !secondMode)
      if (secondMode) {
        val answers = Seq.fill(100)(c.expect[Disposition])
        assert(answers.forall(a => a.getRole == Role.SENDER && a.getSettled && a.getState.isInstanceOf[Accepted]))
        assert(answers.map(_.getFirst.intValue) == (0 until 100))
      }
      c.flow(200, deliveryCount = 200, received = 200)
      assert(Seq.fill(100)(c.expect[Transfer]).map(_.getDeliveryId.intValue) == (200 until 300))
    }
  }

  test("without the option events are settled, whatever the reader asks for") {
    send("0", "a")
    val c = closing(new FrameClient(server.port)).open()
    assert(attachUnsettled(c, secondMode = true).getSndSettleMode == SenderSettleMode.SETTLED)
    c.flow(1)
    assert(c.expect[Transfer].getSettled)
  }

  test("the official SDK reads unsettled events") {
    val unsettled = serverWith(ServiceSettings(unsettledReaders = true))
    val client = producerOf(unsettled)
    (0 until 3).foreach { round =>
      client.send(
        (0 until 500).map(i => new EventData(s"${round * 500 + i}")).asJava,
        new SendOptions().setPartitionId("0")
      )
    }
    val connection = connectionString().replace(s":${server.port}", s":${unsettled.port}")
    assert(read(
      "0",
      1500,
      client = consumer(connection)
    ).map(_.getData.getBodyAsString) == (0 until 1500).map(_.toString))
  }

  test("a disposition for an endless range closes the connection") {
    val c = closing(new FrameClient(serverWith(ServiceSettings(unsettledReaders = true)).port)).open()
    attachUnsettled(c, secondMode = false)
    settle(c, 0, -1, settled = true)
    assert(c.expect[Close].getError.getCondition.toString == "amqp:connection:framing-error")
  }
}
