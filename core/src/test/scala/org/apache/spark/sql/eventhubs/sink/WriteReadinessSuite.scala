package org.apache.spark.sql.eventhubs.sink

import java.util.concurrent.{CompletableFuture, CountDownLatch, CyclicBarrier, TimeUnit}

import org.apache.spark.eventhubs.connection.{ProducerPool, SdkFailures}
import org.apache.spark.eventhubs.options.{WriteDestination, WriteSettings}
import org.apache.spark.eventhubs.send.{FakeProducer, SendFixture}
import org.apache.spark.eventhubs.{EventHubsErrors, EventHubsException}
import testkit.TestSuite

class WriteReadinessSuite extends TestSuite {

  private val reached = () => ()

  private def unreachable(): Nothing =
    throw EventHubsErrors.unreachable(SendFixture.hub, "connecting", "refused", new Exception("refused"))

  private def settings(more: (String, String)*): WriteSettings =
    WriteSettings.parse(Map("eventhubs.connectionString" -> SendFixture.connectionString) ++ more)

  private def check(producer: FakeProducer, probe: () => Unit, more: (String, String)*): Unit = {
    val pool: ProducerPool = SendFixture.poolOf(producer)
    WriteReadiness(settings(more: _*), pool, probe)
  }

  private def producer(
      question: => CompletableFuture[Unit] = CompletableFuture.completedFuture(()),
      link: WriteDestination => CompletableFuture[Unit] = _ => CompletableFuture.completedFuture(())
  ): FakeProducer = new FakeProducer(2, _ => (), onQuestion = () => question, onLink = link)

  test("the endpoint, the partitions and a link are asked for at the same time") {
    val together = new CyclicBarrier(3)
    def meet(): Unit = {
      together.await(30, TimeUnit.SECONDS)
      ()
    }
    def met() = CompletableFuture.supplyAsync[Unit](() => meet())
    check(producer(met(), _ => met()), () => meet())
    assert(!together.isBroken)
  }

  test("a service that cannot be reached is reported at once, while the questions have no answer") {
    val waits = producer(new CompletableFuture, _ => new CompletableFuture)
    val failed = intercept[EventHubsException](check(waits, () => unreachable()))
    assert(failed.getCondition == "EVENTHUBS_UNREACHABLE")
  }

  test("a failed question waits for the endpoint, which may be the cause") {
    val asked = new CountDownLatch(1)
    val fails = producer {
      asked.countDown()
      CompletableFuture.failedFuture(SdkFailures.notFound)
    }
    val failed = intercept[EventHubsException](check(fails, () => { asked.await(30, TimeUnit.SECONDS); unreachable() }))
    assert(failed.getCondition == "EVENTHUBS_UNREACHABLE")
    assert(intercept[EventHubsException](check(fails, reached)).getCondition == "EVENTHUBS_NOT_FOUND")
  }

  test("a link that is refused fails the check") {
    val refused = producer(link = _ => CompletableFuture.failedFuture(SdkFailures.unauthorized))
    assert(intercept[EventHubsException](check(refused, reached)).getCondition == "EVENTHUBS_AUTHENTICATION")
  }

  test("an unknown partition is named, and not its refused link") {
    val refused = producer(link = _ => CompletableFuture.failedFuture(SdkFailures.notFound))
    val failed = intercept[EventHubsException](check(refused, reached, "eventhubs.partitionId" -> "7"))
    assert(failed.getCondition == "EVENTHUBS_INVALID_OPTION" && failed.getMessage.contains("partitions: 0, 1"))
  }
}
