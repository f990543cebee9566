package org.apache.spark.sql.eventhubs

import org.apache.spark.sql.eventhubs.source.ReadSparkFixture
import testkit.TestSuite

/** A name that is nearly an option is refused by each way into the connector, with V1 and V2. */
class NearlyRightOptionsSuite extends TestSuite with ReadSparkFixture {

  /** Spark wraps what a stream's own thread throws, and repeats its message. */
  private def refusal(body: => Any): String = {
    val message = intercept[Exception](body).getMessage
    assert(message.contains("[EVENTHUBS_UNKNOWN_OPTION]"))
    message
  }

  Seq(
    ("startingOffsets", "earliest", "Set 'eventhubs.startingPosition'"),
    ("maxEventPerTrigger", "5", "Did you mean 'eventhubs.maxEventsPerTrigger'?")
  ).foreach { case (name, value, hint) =>
    test(s"$name is refused by batch reads, streams and writes") {
      val hub = newHub()
      val wrong = name -> value
      assert(refusal(batch(hub, wrong)).contains(hint))
      Seq("false", "true").foreach { v1 =>
        assert(refusal {
          val query =
            stream(hub, wrong, "eventhubs.useV1Source" -> v1).writeStream.format("noop").start()
          try query.processAllAvailable()
          finally query.stop()
        }.contains(hint))
        assert(refusal {
          val rates = spark.readStream.format("rate").load().selectExpr("cast(value AS string) AS body")
          val sink = options(hub, wrong, "eventhubs.useV1Sink" -> v1)
          val query = rates.writeStream.format("eventhubs").options(sink)
            .option("checkpointLocation", newFolder().toString).start()
          try query.processAllAvailable()
          finally query.stop()
        }.contains(hint))
      }
      val rows = spark.range(1).selectExpr("cast(id AS string) AS body")
      assert(refusal(rows.write.format("eventhubs").mode("append").options(options(hub, wrong)).save()).contains(hint))
    }
  }

  test("Spark's own options and a user's names change nothing") {
    val hub = newHub()
    fill(hub, 0, 0, 3)
    val rows = batch(hub, "path" -> "x", "header" -> "true", "inferSchema" -> "true", "ehName" -> "y").collect()
    assert(rows.length == 3)
  }
}
