package org.apache.spark.sql.eventhubs.realtime

import org.apache.spark.sql.streaming.OutputMode
import testkit.TestSuite

/** Real-Time queries that write to the hubs which their rows name. */
class RealTimeHubByRowSuite extends TestSuite with RealTimeFixture {

  /** Spark knows the sinks that it has tested, and refuses others in Real-Time Mode unless this is off. */
  private val allowlist = "spark.sql.streaming.realTimeMode.allowlistCheck"

  private def arrived(hub: String): Seq[String] = bodies(hub).values.flatten.toSeq.sorted

  test("each event goes to its row's hub once, over batches and a restart") {
    val (source, one, two) = (newHub(2), newHub(1), newHub(2))
    val checkpoint = newFolder().toString
    spark.conf.set(allowlist, "false")
    spark.conf.set("spark.sql.streaming.realTimeMode.minBatchDuration", "1s")
    def run(until: => Boolean): Unit = {
      val query = stream(source, fromStart)
        .selectExpr("body", s"if(cast(body as string) like 'p0-%', '$one', '$two') as eventHub")
        .writeStream.format("eventhubs")
        .option("eventhubs.connectionString", localHub.connectionString)
        .option("checkpointLocation", checkpoint)
        .outputMode(OutputMode.Update())
        .trigger(realTime)
        .start()
      try {
        eventually(s"${arrived(one)} and ${arrived(two)} are not all") {
          query.exception.foreach(failed => throw failed)
          until
        }
        val last = Option(query.lastProgress).fold(-1L)(_.batchId)
        eventually("no batch ended")(Option(query.lastProgress).exists(_.batchId > last + 1))
      } finally query.stop()
    }
    try {
      Seq(0, 1).foreach(fill(source, _, 0, 5))
      run(arrived(one).size == 5 && arrived(two).size == 5)
      Seq(0, 1).foreach(fill(source, _, 5, 9))
      run(arrived(one).size >= 9 && arrived(two).size >= 9)
      assert(arrived(one) == names(0, 0, 9).toSeq.sorted && arrived(two) == names(1, 0, 9).toSeq.sorted)
    } finally spark.conf.unset(allowlist)
  }
}
