package org.apache.spark.sql.eventhubs.realtime

import org.apache.spark.sql.streaming.{OutputMode, StreamingQuery, Trigger}
import testkit.TestSuite

/** From hub to hub in Real-Time Mode, within one batch: it lasts longer than the test. */
class RealTimeWriteSuite extends TestSuite with RealTimeFixture {

  private def copying(from: String, to: String, more: (String, String)*): StreamingQuery = {
    // Spark has a list of sinks for Real-Time Mode, without any of other projects.
    spark.conf.set("spark.sql.streaming.realTimeMode.allowlistCheck", "false")
    stream(from, fromStart).select("body").writeStream
      .format("eventhubs")
      .options(options(to, more: _*))
      .option("checkpointLocation", newFolder().toString)
      .outputMode(OutputMode.Update())
      .trigger(Trigger.RealTime("5 minutes"))
      .start()
  }

  private def arrived(hub: String): Seq[String] = bodies(hub).values.flatten.toSeq.sorted

  /** Each event arrives before the next one is sent, in the query's first batch. */
  private def assertTrickleArrives(query: StreamingQuery, from: String, to: String): Unit =
    try
      (0 until 10).foreach { n =>
        fill(from, n % 2, n, n + 1)
        eventually(s"event $n is not in the target; the query failed with ${query.exception}")(
          arrived(to) == (0 to n).map(n => s"p${n % 2}-$n").sorted || query.exception.isDefined
        )
        assert(query.exception.isEmpty)
        assert(query.recentProgress.isEmpty, "the batch is still open")
      }
    finally query.stop()

  test("each event of a trickle is in the target at once, without any option") {
    val (from, to) = (newHub(2), newHub(2))
    assertTrickleArrives(copying(from, to), from, to)
  }

  test("each event of a trickle is in the target after the linger time") {
    val (from, to) = (newHub(2), newHub(2))
    assertTrickleArrives(copying(from, to, "eventhubs.lingerMs" -> "20", "eventhubs.partitionId" -> "1"), from, to)
  }
}
