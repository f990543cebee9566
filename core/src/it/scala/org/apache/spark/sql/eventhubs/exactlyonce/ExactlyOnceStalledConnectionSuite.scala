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
          isIn("InDoubtBatches", "settle") || stored(hub) >= rows.length
        }
        proxy.resume()
        query.processAllAvailable()
      } finally query.stop()
      eventually("the proxy keeps a connection")(proxy.openConnections <= 3)
      assertSame(arrived(hub).map(_.takeWhile(_ != '.')), rows.map(_.toString))
    }
  }
}
