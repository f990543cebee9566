package org.apache.spark.eventhubs.rdd

import java.util.concurrent.TimeoutException

import org.apache.spark.eventhubs.connection.SdkFailures
import org.apache.spark.eventhubs.generation.HubGeneration
import testkit.TestSuite

/** A task whose events do not come, and the questions that it asks meanwhile. */
class SilentRangeSuite extends TestSuite {

  test("a silent task asks about its partition rarely: 64 tasks must not use up the service's questions") {
    val f = new RangeFixture
    (0 until 1000).foreach(_ => f.hub.upcoming.enqueue(_ => ()))
    f.failure(0, 10)
    assert(f.hub.boundsCalls <= 6 && f.hub.propertiesCalls <= 6, "in the 60 s until the operation timeout")
  }

  test("a question that is not answered, or refused because the service is busy, says nothing about the events") {
    Seq(SdkFailures.busy, new TimeoutException("none within 60 s")).foreach { failure =>
      val f = new RangeFixture
      f.hub.unanswered = Some(failure)
      f.hub.upcoming.enqueue(_.deliver(0, 1, 2))
      // The link is reopened after a long silence.
      f.hub.upcoming.enqueue { link =>
        f.hub.unanswered = None
        link.serve()
      }
      // So that the first events need no answer.
      f.resources.verifiedGenerations
        .add(f.settings.connection, HubGeneration.CreatedAt(f.hub.createdAt), Long.MaxValue)
      assert(f.read(0, 10) == (0L until 10L))
      assert(f.hub.boundsCalls > 0, "it has asked")
    }
  }

  test("an event waits for the answer of a slow service about its hub, and the task does not fail") {
    Seq(SdkFailures.busy, new TimeoutException("none within 60 s")).foreach { failure =>
      val f = new RangeFixture
      f.hub.unanswered = Some(failure)
      var questions = 0
      f.hub.onQuestion = () => {
        questions += 1
        if (questions > 2) f.hub.unanswered = None
      }
      assert(f.read(0, 10) == (0L until 10L))
      assert(questions > 2)
    }
  }

  test("if neither events nor answers come, the task fails with why there is no answer") {
    val f = new RangeFixture
    (0 until 1000).foreach(_ => f.hub.upcoming.enqueue(_ => ()))
    f.hub.unanswered = Some(SdkFailures.busy)
    assert(f.failure(0, 10).getCondition == "EVENTHUBS_THROTTLED")
    assert(f.clock.getTimeMillis() >= f.settings.connection.operationTimeout.toMillis)
  }
}
