package org.apache.spark.sql.eventhubs.planning

import localhub.amqp.fault.{Fault, FaultAction, Occasion}
import localhub.{LocalHubConfig, ServiceSettings}
import org.apache.spark.sql.eventhubs.source.StreamFixture
import testkit.TestSuite

/**
 * What the service does to idle connections and links, and to tokens that expire: a query survives it without losing or
 * repeating an event. The service's five minutes are 1.5 s here, its thirty minutes 9 s.
 */
class ServiceRulesSuite extends TestSuite with StreamFixture {

  override protected def hubConfig: LocalHubConfig = LocalHubConfig(service = ServiceSettings(timeScale = 0.005))

  test("the driver's connection, which has no links of readers, is closed again and again") {
    val name = newHub(2)
    send(name, 10, 10)
    running(stream(name, earliest)) { query =>
      query.catchUp()
      val before = localHub.amqp.counters.connections
      eventually("the service has closed the driver's connection three times")(
        localHub.amqp.counters.connections >= before + 3
      )
      send(name, 5, 5)
      assertSame(query.catchUp(), firstEvents(15, 15))
    }
  }

  test("a cached receiver whose link was idle between two batches continues at the next event") {
    val name = newHub(1)
    send(name, 500)
    // The receiver has more events than the batch takes, so its link has no credit while the batch runs.
    val limits = Seq("eventhubs.prefetchCount" -> "50", "maxEventsPerTrigger" -> "100")
    def link = localHub.amqp.readers.filter(_.hub == name).map(_.name)
    var idle = Seq.empty[String]
    val waitOnce = (id: Long) =>
      if (id == 0) {
        idle = link
        eventually("the service has detached the idle reader")(idle.nonEmpty && link.intersect(idle).isEmpty)
      }
    running(stream(name, limits :+ earliest: _*), onBatch = waitOnce) { query =>
      assertSame(query.catchUp(), firstEvents(500))
      assert(idle.nonEmpty)
    }
  }

  test("tokens that expire under open links are replaced, and reading continues where it was") {
    val name = newHub(2)
    send(name, 2000, 2000)
    val expiring = Fault(FaultAction.ExpireTokens, Occasion.Receive, skip = 3, count = Some(3))
    localHub.faults.inject(expiring)
    assertSame(
      readAvailable(stream(name, earliest, "eventhubs.prefetchCount" -> "50")).read,
      firstEvents(2000, 2000)
    )
    assert(localHub.faults.active.isEmpty, "the tokens have expired three times")
  }
}
