package org.apache.spark.sql.eventhubs.planning

import java.util.concurrent.{CountDownLatch, CyclicBarrier, TimeUnit}

import org.apache.spark.eventhubs.connection.{ClientConnectionPool, FakeHub, SdkFailures}
import org.apache.spark.eventhubs.{EventHubsErrors, EventHubsException, TestSettings}
import org.apache.spark.util.SystemClock
import testkit.TestSuite

class ReadinessCheckSuite extends TestSuite {

  private class Fixture(options: (String, String)*) {
    val hub = new FakeHub(4)
    private val settings = TestSettings.stream(options: _*)
    private val pool = new ClientConnectionPool(hub.connect, new SystemClock)
    private val info = PartitionInfoReader.alone(settings, pool, new SystemClock)

    def check(probe: () => Unit = () => ()): Unit = ReadinessCheck(info, settings, probe)

    def unreachable(): Nothing =
      throw EventHubsErrors.unreachable(settings.connection.hub, "connecting", "refused", new Exception("refused"))
  }

  test("the endpoint, the hub's state and the link are checked at the same time") {
    val f = new Fixture
    val together = new CyclicBarrier(3)
    def meet(): Unit = {
      together.await(30, TimeUnit.SECONDS)
      ()
    }
    val firstQuestion = new CountDownLatch(1)
    f.hub.onCheckReading = () => meet()
    f.hub.onQuestion = () => if (firstQuestion.getCount > 0) { firstQuestion.countDown(); meet() }
    f.check(() => meet())
    assert(!together.isBroken)
  }

  test("a service that cannot be reached is reported at once, not when the question about the hub times out") {
    val f = new Fixture
    val ended = new CountDownLatch(1)
    f.hub.onCheckReading = () => { ended.await(30, TimeUnit.SECONDS); () }
    val failed = intercept[EventHubsException](f.check(() => f.unreachable()))
    assert(failed.getCondition == "EVENTHUBS_UNREACHABLE" && ended.getCount == 1)
  }

  test("a failed question waits for the endpoint, which may be the cause") {
    val f = new Fixture
    val asked = new CountDownLatch(1)
    f.hub.onQuestion = () => asked.countDown()
    f.hub.unanswered = Some(SdkFailures.notFound)
    val failed = intercept[EventHubsException](f.check { () =>
      asked.await(30, TimeUnit.SECONDS)
      f.unreachable()
    })
    assert(failed.getCondition == "EVENTHUBS_UNREACHABLE")
  }

  test("an exclusive reader opens no link before the hub's state is known") {
    val f = new Fixture("eventhubs.ownerLevel" -> "1", "eventhubs.partitions" -> "9")
    @volatile var opened = false
    f.hub.onCheckReading = () => opened = true
    assert(intercept[EventHubsException](f.check()).getCondition == "EVENTHUBS_INVALID_OPTION" && !opened)
  }
}
