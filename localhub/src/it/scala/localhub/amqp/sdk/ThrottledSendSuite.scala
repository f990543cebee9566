package localhub.amqp.sdk

import java.time.Instant

import scala.jdk.CollectionConverters._

import com.azure.core.amqp.exception.AmqpErrorCondition
import com.azure.messaging.eventhubs.EventData

import localhub.amqp.{AmqpServer, HubFixture}
import localhub.log.ManualClock
import localhub.namespace.Namespace
import testkit.TestSuite

class ThrottledSendSuite extends TestSuite with HubFixture {

  private val time = new ManualClock(Instant.parse("2026-01-01T00:00:00Z").toEpochMilli)

  // With a running clock the limit would refill during the test.
  override protected def newServer(namespace: Namespace): AmqpServer =
    new AmqpServer(namespace, policies, "127.0.0.1", 0, time)

  test("the official SDK gets server-busy, error 50002, with a wait of 4 seconds; nothing is stored") {
    server.throughput.set("hub1", 1)
    val client = producer()
    client.send(Seq.fill(5000)(new EventData("x")).asJava)
    val error = amqpFailure(client.send(Seq(new EventData("y")).asJava))
    assert(error.getErrorCondition == AmqpErrorCondition.SERVER_BUSY_ERROR && error.isTransient)
    assert(error.getMessage.contains("50002") && error.getMessage.contains("wait 4 seconds"))
    assert(server.counters.eventsIn == 5000)
  }
}
