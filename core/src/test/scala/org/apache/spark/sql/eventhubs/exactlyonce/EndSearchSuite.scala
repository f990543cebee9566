package org.apache.spark.sql.eventhubs.exactlyonce

import org.apache.spark.eventhubs.connection.{FakeLink, SdkFailures}
import org.apache.spark.eventhubs.receive.ReceiverFixture
import org.apache.spark.eventhubs.{EventHubName, TestSettings}
import org.apache.spark.util.ManualClock
import testkit.TestSuite

/** The service does not answer AMQP's drain, and the end that it reports lags behind the events. */
class EndSearchSuite extends TestSuite {

  private class Fixture(startedMillis: Long, answers: Int = 0) {
    private var drains = 0

    val clock = new ManualClock(0)
    val receiver = new ReceiverFixture(clock)
    receiver.partition.latest = 0
    (0 until 5).foreach(_ => receiver.hub.upcoming.enqueue(ignoreDrain))

    private val search = new EndSearch(
      receiver.receiver,
      EventHubName("ns.example", "telemetry"),
      TestSettings.stream(),
      clock,
      startedMillis,
      () => false,
      _ => ()
    )

    private def ignoreDrain(link: FakeLink): Unit = {
      link.onDrain = request => {
        drains += 1
        if (drains <= answers) link.answer(request)
      }
      link.onAsked = _.serve()
      link.serve()
    }

    /** A tenth of a second passes, in which `events` come. The end, if it is found. */
    def tick(events: Int): Option[Long] = {
      receiver.partition.latest += events
      receiver.partition.lowAnswers.clear()
      receiver.partition.lowAnswers.enqueue(50)
      receiver.hub.openLinks.foreach(_.serve())
      clock.advance(100)
      search.step()
    }
  }

  test("a link in the middle of many events has not reached the end, whatever the service reports") {
    val f = new Fixture(startedMillis = Long.MaxValue / 2)
    (0 until 600).foreach(_ => assert(f.tick(10).isEmpty))
    val ends = Iterator.continually(f.tick(0)).take(200).flatten.toSeq.headOption
    assert(ends.contains(6000))
  }

  test("a link that ends in the middle of many events is no silence") {
    val f = new Fixture(startedMillis = Long.MaxValue / 2)
    (0 until 300).foreach(_ => assert(f.tick(10).isEmpty))
    f.receiver.hub.openLinks.foreach(_.fail(SdkFailures.busy))
    (0 until 300).foreach(_ => assert(f.tick(10).isEmpty))
    val ends = Iterator.continually(f.tick(0)).take(200).flatten.toSeq.headOption
    assert(ends.contains(6000))
  }

  test("an event of after the start of the search ends it, although others follow without a pause") {
    val f = new Fixture(startedMillis = 0)
    val ends = Iterator.continually(f.tick(10)).take(1200).flatten.toSeq.headOption
    assert(ends.exists(_ >= 5000))
  }

  test("a service that answered once, and does not where others never pause, is not waited for without end") {
    val f = new Fixture(startedMillis = 0, answers = 1)
    (0 until 5).foreach(_ => assert(f.tick(0).isEmpty))
    val ends = Iterator.continually(f.tick(100)).take(800).flatten.toSeq.headOption
    assert(ends.exists(_ >= 60000))
  }
}
