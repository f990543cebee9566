package org.apache.spark.sql.eventhubs.rotation

import java.time.Instant

import localhub.authority.{AuthorityFault, AuthorityFaultAction, AuthorityRequestKind}
import org.apache.spark.sql.streaming.{StreamingQuery, Trigger}
import testkit.TestSuite

/** Tokens that end while queries read, write, wait between micro-batches, or run in Real-Time Mode. */
class ExpiringTokenSuite extends TestSuite with RotationFixture {

  private lazy val way = SecretInAFile.clientSecret(authority, tokens, write)

  /** A query, the hub that a test fills for it, and what has arrived. */
  private final class Running(val name: String, val input: String, query: StreamingQuery, found: () => Seq[String]) {

    def await(count: Int): Unit = {
      eventually(s"'$name' has ${found().size} of $count events") {
        query.exception.foreach(failed => fail(s"'$name' failed", failed))
        found().size >= count
      }
      assert(found() == events(count), name)
    }

    def stop(): Unit = query.stop()
  }

  // The sign-in service is away for longer than the usual one.
  private val patient = "eventhubs.operationTimeout" -> "60s"

  private def reader(name: String, trigger: Trigger): Running = {
    val hub = newHub(1)
    val query = start(name, reading(hub, way.auth, patient), trigger, newFolder().toString)
    new Running(name, hub, query, () => bodiesRead(name))
  }

  private def writer(): Running = {
    val (from, to) = (newHub(1), newHub(1))
    val query = stream(from, fromStart, hasty).select("body").writeStream
      .format("eventhubs")
      .options(signedIn(to, way.auth, patient))
      .option("checkpointLocation", newFolder().toString)
      .start()
    new Running("writing", from, query, () => bodies(to).values.flatten.toSeq)
  }

  test("queries continue when tokens end, and when no new one can be had until the links are closed; nothing is lost") {
    val running = Seq(
      reader("reading", Trigger.ProcessingTime(0)),
      reader("between micro-batches", Trigger.ProcessingTime("4 seconds")),
      reader("real time", realTime),
      writer()
    )
    def send(from: Int, until: Int): Unit = {
      running.foreach(query => fill(query.input, 0, from, until))
      running.foreach(_.await(until))
    }
    try {
      send(0, 10)
      val before = tokens(way.identity)
      eventually("tokens are renewed while there is nothing to do")(tokens(way.identity) >= before + 3)
      send(10, 20)

      authority.faults.inject(AuthorityFault(AuthorityFaultAction.Fail(503), Some(AuthorityRequestKind.Token)))
      val away = Instant.now
      eventually("a token is asked for")(authority.requests.exists(request =>
        request.status.contains(503) && request.time.isAfter(away)
      ))
      // A token's time, and the hub's time of grace.
      eventually("the links are closed")(Instant.now.isAfter(away.plus(tokenLifetime).plusSeconds(5)))
      running.foreach(query => fill(query.input, 0, 20, 30))
      authority.faults.clear()
      running.foreach(_.await(30))
      send(30, 40)
    } finally running.foreach(_.stop())
    assertNothingStays()
  }
}
