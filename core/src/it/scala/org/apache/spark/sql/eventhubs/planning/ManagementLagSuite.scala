package org.apache.spark.sql.eventhubs.planning

import java.time.Duration

import localhub.amqp.fault.{Fault, FaultAction, FaultScope, Occasion}
import org.apache.spark.sql.eventhubs.source.StreamFixture
import org.apache.spark.sql.streaming.Trigger
import testkit.TestSuite

/**
 * Answers of the service that lag behind the events which a query knows. Three of them, because progress reports ask
 * too.
 */
class ManagementLagSuite extends TestSuite with StreamFixture {

  private def lag(name: String, events: Int): Unit = {
    val scope = FaultScope(hub = Some(name), partition = Some("0"))
    localHub.faults.inject(Fault(FaultAction.LagBehind(events), Occasion.Manage, scope, count = Some(3)))
    ()
  }

  private def lagging(name: String): Boolean = localHub.faults.active.exists(_.fault.scope.hub.contains(name))

  test("low answers under a running query are no loss: nothing is repeated and nothing is skipped") {
    for (policy <- Seq(earliest, lenient)) {
      val name = newHub(2)
      send(name, 30, 5)
      running(stream(name, earliest, policy)) { query =>
        query.catchUp()
        lag(name, events = 20)
        eventually("the answers were given")(!lagging(name))
        send(name, 4, 2)
        assertSame(query.catchUp(), firstEvents(34, 7))
        assert(query.metrics("lostEvents") == "0")
      }
    }
  }

  test("low answers at a restart are no loss") {
    val name = newHub(1)
    val checkpoint = newFolder()
    send(name, 30)
    readAvailable(stream(name, earliest), checkpoint)
    send(name, 5)
    lag(name, events = 20)
    assertSame(readAvailable(stream(name), checkpoint).read, events(0, 30, 35))
  }

  test("answers without a partition are no loss, under a running query and at a restart") {
    for (policy <- Seq(earliest, lenient)) {
      val name = newHub(2)
      val checkpoint = newFolder()
      send(name, 30, 5)
      readAvailable(stream(name, earliest, policy), checkpoint)
      val fault = Fault(FaultAction.FewerPartitions(1), Occasion.ManageHub, FaultScope(hub = Some(name)))
      localHub.faults.inject(fault)
      try {
        send(name, 4, 2)
        val restarted = start(stream(name, policy), checkpoint, Trigger.ProcessingTime(0))
        try {
          eventually("the new events are read")(restarted.query.exception.nonEmpty || restarted.read.size >= 6)
          send(name, 1, 1)
          eventually("later events are read")(restarted.query.exception.nonEmpty || restarted.read.size >= 8)
          assertSame(restarted.read, events(0, 30, 35) ++ events(1, 5, 8))
        } finally restarted.stop()
      } finally localHub.faults.clear()
    }
  }

  test("low answers to a task that waits for its events are no loss") {
    val name = newHub(1)
    send(name, 30)
    val planned = batch(name).queryExecution.executedPlan
    val scope = FaultScope(hub = Some(name))
    localHub.faults.inject(
      Fault(FaultAction.Stall, Occasion.Receive, scope, duration = Some(Duration.ofSeconds(8)))
    )
    lag(name, events = 30)
    assert(planned.executeCollect().length == 30)
    assert(localHub.faults.active.forall(_.hits > 0), "the task has asked")
    localHub.faults.clear()
  }
}
