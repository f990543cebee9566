package localhub.amqp

import java.time.Instant

import scala.jdk.CollectionConverters._

import com.azure.core.amqp.exception.AmqpErrorCondition
import com.azure.messaging.eventhubs.EventData
import org.scalatest.funsuite.AnyFunSuite

import localhub.log.ManualClock
import localhub.node.Namespace

class ThroughputUnitsSuite extends AnyFunSuite with HubFixture {

  private val time = new ManualClock(Instant.parse("2026-01-01T00:00:00Z").toEpochMilli)
  private val OneMB = 1024 * 1024

  // With a clock that goes on, a hub takes more after a while.
  override protected def newServer(namespace: Namespace): AmqpServer =
    new AmqpServer(namespace, policies, "127.0.0.1", 0, time)

  test("a unit is 1,000 events a second") {
    val units = new ThroughputUnits(time)
    units.set("hub1", 2)
    assert(units.admit("HUB1", 2000, 10))
    assert(!units.admit("hub1", 1, 10))
    time.now += 500
    assert(units.admit("hub1", 1000, 10))
    assert(!units.admit("hub1", 1, 10))
  }

  test("a unit is 1 MB a second, and what is taken too much is missing later") {
    val units = new ThroughputUnits(time)
    units.set("hub1", 1)
    assert(units.admit("hub1", 1, OneMB - 1) && units.admit("hub1", 1, OneMB) && !units.admit("hub1", 1, 1))
    time.now += 500
    assert(!units.admit("hub1", 1, 1))
    time.now += 600
    assert(units.admit("hub1", 1, 1))
  }

  test("a hub for which nothing was set takes all that comes; a limit can be taken away") {
    val units = new ThroughputUnits(time)
    units.set("small", 1)
    assert((1 to 10).forall(_ => units.admit("hub1", 100000, OneMB)))
    units.admit("small", 100000, 1)
    units.clear("SMALL")
    assert(units.of("small").isEmpty && units.admit("small", 1, 1))
  }

  test("the official SDK is told server-busy, error 50002, and to wait 4 seconds; nothing is stored") {
    server.throughput.set("hub1", 1)
    val client = producer()
    client.send(Seq.fill(5000)(new EventData("x")).asJava)
    val error = amqpFailure(client.send(Seq(new EventData("y")).asJava))
    assert(error.getErrorCondition == AmqpErrorCondition.SERVER_BUSY_ERROR && error.isTransient)
    assert(error.getMessage.contains("50002") && error.getMessage.contains("wait 4 seconds"))
    assert(server.counters.eventsIn == 5000)
  }
}
