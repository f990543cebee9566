package org.apache.spark.eventhubs.connection

import localhub.amqp.fault.{Fault, FaultAction, FaultScope, Occasion}
import localhub.{LocalHubConfig, ServiceSettings}
import org.apache.spark.eventhubs.send.SendFixture.event
import org.apache.spark.eventhubs.send.{OneHubBatches, SendLimits, SendPermit}
import testkit.TestSuite

/**
 * Producers that stay in their pool while the service closes what is idle. Its five minutes are 1.5 s here, its thirty
 * minutes 9 s.
 */
class IdleProducerSuite extends TestSuite with WriteHubFixture {

  override protected def hubConfig: LocalHubConfig = LocalHubConfig(service = ServiceSettings(timeScale = 0.005))

  private def sendTo(partition: Int, body: String)(accumulator: OneHubBatches): Unit = {
    accumulator.add(event(body), Some(partition.toString))
    accumulator.flush()
  }

  test("a pooled producer sends again after the service has detached its idle link and closed its connection") {
    val hub = newHub(2)
    val ours = settings(hub)
    val pool = newPool()
    try {
      def accumulator = OneHubBatches(pool.borrow(ours.connection), SendLimits.of(ours), SendPermit(() => ()))
      sendTo(0, "before")(accumulator)
      eventually("the service has closed the idle connection")(localHub.amqp.counters.openConnections == 0)
      val after = accumulator
      sendTo(0, "after")(after)
      sendTo(1, "after")(after)
      assert(after.totals.events == 2)
    } finally pool.close()
    assert(bodies(hub) == Map(0 -> Seq("before", "after"), 1 -> Seq("after")))
  }

  test("a producer whose token expires under its open links sends every event once") {
    val hub = newHub(1)
    localHub.faults.inject(
      Fault(FaultAction.ExpireTokens, Occasion.Send, FaultScope(Some(hub)), skip = 2, count = Some(2))
    )
    writing(settings(hub)) { accumulator =>
      (0 until 20).foreach(i => sendTo(0, s"$i")(accumulator))
      assert(accumulator.totals.events == 20)
    }
    assert(localHub.faults.active.isEmpty, "the token has expired twice")
    assert(bodies(hub) == Map(0 -> (0 until 20).map(_.toString)))
  }
}
