package org.apache.spark.sql.eventhubs.planning

import org.scalatest.time.{Millis, Seconds, Span}

import localhub.{LocalHubConfig, ServiceSettings}
import org.apache.spark.sql.eventhubs.source.StreamFixture
import testkit.{LongTest, TestSuite}

/** A query reads each event once where everything that is not known of the service is against it. */
@LongTest
class StrictServiceSuite extends TestSuite with StreamFixture {

  override protected def hubConfig: LocalHubConfig = LocalHubConfig(service = ServiceSettings.Strict)

  implicit override def patienceConfig: PatienceConfig = PatienceConfig(Span(180, Seconds), Span(50, Millis))

  test("a stream reads what is there and what comes, each event once, also after a restart") {
    val name = newHub(2)
    val checkpoint = newFolder()
    send(name, 30, 5)
    running(stream(name, earliest), checkpoint) { query =>
      eventually("the events that were there")(query.read.size >= 35)
      send(name, 4, 20)
      // The hub reports them after 30 s.
      eventually("the events that came")(query.read.size >= 59)
      assertSame(query.read, firstEvents(34, 25))
    }
    send(name, 6, 0)
    running(stream(name), checkpoint) { query =>
      eventually("the events of the time between")(query.read.nonEmpty)
      assertSame(query.read, events(0, 34, 40))
    }
  }

  test("a batch reads from and until positions, of which offsets are no numbers") {
    val name = newHub(1)
    send(name, 10)
    val offset = batch(name, earliest).where("sequenceNumber = 6").select("offset").head().getString(0)
    assert(offset.contains(":"))
    val from = "eventhubs.startingPosition" -> s"""{"offset":"$offset","isInclusive":true}"""
    assertSame(seen(batch(name, earliest)), firstEvents(10))
    assertSame(seen(batch(name, from)), events(0, 6, 10))
  }

  test("a stream of 32 partitions starts, although one request for properties is answered in a second") {
    val name = newHub(32)
    send(name, Seq.fill(32)(3): _*)
    running(stream(name, earliest, "eventhubs.operationTimeout" -> "2m")) { query =>
      eventually("all events")(query.read.size >= 96)
      assertSame(query.read, firstEvents(Seq.fill(32)(3): _*))
    }
  }
}
