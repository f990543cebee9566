package org.apache.spark.sql.eventhubs

import org.apache.spark.sql.eventhubs.source.ReadSparkFixture
import testkit.{Logged, TestSuite}

/** A name that is nearly an option is refused by each way into the connector, with V1 and V2. */
class NearlyRightOptionsSuite extends TestSuite with ReadSparkFixture {

  /** Spark wraps what a stream's own thread throws, and repeats its message. */
  private def refusal(written: String)(body: => Any): String = {
    val message = intercept[Exception](body).getMessage
    assert(message.contains(s"[EVENTHUBS_UNKNOWN_OPTION] '$written' is not an option"))
    message
  }

  Seq(
    ("startingOffsets", "earliest", "Set 'eventhubs.startingPosition'"),
    ("maxEventPerTrigger", "5", "Did you mean 'eventhubs.maxEventsPerTrigger'?"),
    ("eventhubs.prefechCount", "5", "Did you mean 'eventhubs.prefetchCount'?")
  ).foreach { case (name, value, hint) =>
    test(s"$name is refused by batch reads, streams and writes") {
      val hub = newHub()
      val wrong = name -> value
      assert(refusal(name)(batch(hub, wrong)).contains(hint))
      Seq("false", "true").foreach { v1 =>
        assert(refusal(name) {
          val query =
            stream(hub, wrong, "eventhubs.useV1Source" -> v1).writeStream.format("noop").start()
          try query.processAllAvailable()
          finally query.stop()
        }.contains(hint))
        assert(refusal(name) {
          val rates = spark.readStream.format("rate").load().selectExpr("cast(value AS string) AS body")
          val sink = options(hub, wrong, "eventhubs.useV1Sink" -> v1)
          val query = rates.writeStream.format("eventhubs").options(sink)
            .option("checkpointLocation", newFolder().toString).start()
          try query.processAllAvailable()
          finally query.stop()
        }.contains(hint))
      }
      val rows = spark.range(1).selectExpr("cast(id AS string) AS body")
      val write = rows.write.format("eventhubs").mode("append").options(options(hub, wrong))
      assert(refusal(name)(write.save()).contains(hint))
    }
  }

  test("Spark's own options and a user's names change nothing") {
    val hub = newHub()
    fill(hub, 0, 0, 3)
    val rows = batch(hub, "path" -> "x", "header" -> "true", "inferSchema" -> "true", "ehName" -> "y").collect()
    assert(rows.length == 3)
  }

  Seq("false", "true").foreach { v1 =>
    test(s"an option without effect is named once in the log of a query; useV1Source=$v1") {
      val hub = newHub()
      val log = Logged.by {
        val events = stream(hub, "eventhubs.endingPosition" -> "latest", "eventhubs.useV1Source" -> v1)
        val query = events.writeStream.format("noop").start()
        try query.processAllAvailable()
        finally query.stop()
      }
      assert("'eventhubs.endingPosition' applies to batch reads only".r.findAllIn(log).size == 1)
    }
  }
}
