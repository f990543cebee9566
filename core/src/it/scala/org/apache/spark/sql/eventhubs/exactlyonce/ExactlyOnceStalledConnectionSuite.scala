package org.apache.spark.sql.eventhubs.exactlyonce

import org.apache.spark.eventhubs.connection.TcpProxy
import org.apache.spark.sql.SQLContext
import org.apache.spark.sql.execution.streaming.runtime.MemoryStream
import testkit.TestSuite

/** A proxy holds the bytes of one connection for longer than an attempt to send may take, and then delivers them. */
class ExactlyOnceStalledConnectionSuite extends TestSuite with StopAndStart {

  private implicit def sqlContext: SQLContext = spark.sqlContext

  private val rows = 0 until 200

  private def through(proxy: TcpProxy, hub: String): Seq[(String, String)] = exactlyOnce ++ Seq(
    "eventhubs.connectionString" ->
      localHub.connectionString(hub).replace(s":${localHub.amqpPort}", s":${proxy.port}"),
    // With three retries, an attempt has 2 seconds.
    "eventhubs.operationTimeout" -> "8s",
    "eventhubs.sendTimeout" -> "120s",
    "eventhubs.settleDelayAfterTimeout" -> "6s"
  )

  private def proxied[A](use: TcpProxy => A): A = {
    val proxy = new TcpProxy(localHub.amqpPort)
    try use(proxy)
    finally proxy.close()
  }

  test("bytes that arrive after the attempt timed out are found, and not sent again") {
    proxied { proxy =>
      import spark.implicits._
      val (hub, source) = (newHub(), MemoryStream[Int])
      source.addData(rows)
      val frame = source.toDF().selectExpr("rpad(cast(value as string), 1000, '.') as body")
      val stalled = proxy.pauseFrom("150....".getBytes)
      val query = start(frame, hub, newFolder(), through(proxy, hub))
      try {
        stalled.await()
        eventually("the task neither waits nor sends again") {
          query.exception.foreach(throw _)
          isIn("ReadBackDelivery", "settle") || stored(hub) >= rows.length
        }
        proxy.resume()
        query.processAllAvailable()
      } finally query.stop()
      eventually("the proxy keeps a connection")(proxy.openConnections <= 3)
      assertSame(arrived(hub).map(_.takeWhile(_ != '.')), rows.map(_.toString))
    }
  }

  /**
   * What is in the hub when the proxy delivers a batch long after the query has sent everything.
   *
   * @param hasCome of the number of events: another connection may end before the one that had the batch
   */
  private def releasedAtTheEnd(hasCome: Long => Boolean, more: (String, String)*): Seq[String] = proxied { proxy =>
    import spark.implicits._
    val (hub, source) = (newHub(), MemoryStream[Int])
    source.addData(rows)
    val frame = source.toDF().selectExpr("rpad(cast(value as string), 1000, '.') as body")
    val stalled = proxy.pauseFrom("150....".getBytes)
    val short = Seq("eventhubs.settleDelay" -> "300ms", "eventhubs.settleDelayAfterTimeout" -> "500ms")
    run(frame, hub, newFolder(), through(proxy, hub) ++ short ++ more)
    assert(stalled.getCount == 0 && stored(hub) == rows.length)
    val before = localHub.amqp.counters.openConnections
    proxy.resume()
    eventually("the hub does not see the end of the connection")(localHub.amqp.counters.openConnections < before)
    eventually("the batch does not come")(hasCome(stored(hub)))
    arrived(hub).map(_.takeWhile(_ != '.'))
  }

  test("bytes that arrive after the settle time are stored twice") {
    assert(releasedAtTheEnd(_ > rows.length).length > rows.length)
  }

  test("an idempotent producer shuts out bytes that arrive after any time") {
    assertSame(releasedAtTheEnd(_ => true, "eventhubs.idempotentProducer" -> "true"), rows.map(_.toString))
  }
}
