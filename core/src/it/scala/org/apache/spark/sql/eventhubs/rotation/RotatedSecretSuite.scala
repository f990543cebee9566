package org.apache.spark.sql.eventhubs.rotation

import java.time.Duration

import org.apache.spark.eventhubs.EventHubsException
import org.apache.spark.eventhubs.executor.ExecutorResources
import org.apache.spark.sql.streaming.{StreamingQuery, Trigger}
import testkit.TestSuite

/** Secrets in files that change, or that the service no longer accepts, while streams use them. */
class RotatedSecretSuite extends TestSuite with RotationFixture {

  private lazy val ways = Seq(
    SecretInAFile.clientSecret(authority, tokens, write),
    SecretInAFile.certificate(authority, tokens, write),
    SecretInAFile.federatedToken(authority, tokens, write),
    SecretInAFile.signature(policies, Duration.ofSeconds(8), write)
  )

  /** Every stream reads the events that its hub has. */
  private def awaitAll(running: Seq[(SecretInAFile, String, StreamingQuery)], count: Int): Unit =
    running.foreach { case (way, hub, query) =>
      eventually(s"the stream with a ${way.name} reads: ${query.exception}, ${bodiesRead(hub)}") {
        query.exception.foreach(failed => fail(s"the stream with a ${way.name} failed", failed))
        bodiesRead(hub).length >= count
      }
      assert(bodiesRead(hub) == events(count), way.name)
    }

  test("a stream continues over the same connections when its secret changes, and stops with the facts without one") {
    // Other suites of this JVM have left idle ones.
    val clientsBefore = ExecutorResources.get.clients.size
    val running = ways.map { way =>
      val hub = newHub(1)
      fill(hub, 0, 0, 10)
      (way, hub, start(hub, reading(hub, way.auth), Trigger.ProcessingTime(0), newFolder().toString))
    }
    try {
      awaitAll(running, 10)
      ways.foreach(_.rotate())
      ways.foreach(way => eventually(s"the ${way.name} is not renewed")(way.isRenewed))
      running.foreach { case (_, hub, _) => fill(hub, 0, 10, 20) }
      awaitAll(running, 20)
      // The driver's and the task's of each stream. The hub closes idle connections, so it may have fewer.
      val clients = ExecutorResources.get.clients.size - clientsBefore
      assert(clients <= 2 * running.size, "clients of the old secret are open")

      ways.foreach(_.revoke())
      running.foreach { case (way, _, query) =>
        eventually(s"the stream without a ${way.name} runs on")(!query.isActive)
        val refused = refusalOf(query)
        assert(refused.getCondition == "EVENTHUBS_AUTHENTICATION", refused.getMessage)
        assert(refused.getMessage.contains(way.identity), refused.getMessage)
        assert(!refused.getMessage.contains("marked") && !refused.getMessage.contains("sig="))
      }
    } finally {
      running.foreach(_._3.stop())
      ways.foreach(_.close())
    }
    assertNothingStays()
  }

  private def refusalOf(query: StreamingQuery): EventHubsException =
    Iterator.iterate[Throwable](query.exception.getOrElse(fail("no failure")))(_.getCause)
      .takeWhile(Option(_).nonEmpty)
      .collectFirst { case ours: EventHubsException => ours }
      .getOrElse(fail(s"not the connector's: ${query.exception}"))
}
