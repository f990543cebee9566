package org.apache.spark.sql.eventhubs.source

import org.apache.spark.sql.eventhubs.EventHubsSourceProvider
import org.apache.spark.sql.execution.datasources.v2.MicroBatchScanExec
import org.apache.spark.sql.execution.streaming.runtime.StreamingQueryWrapper
import testkit.TestSuite

/** Which of Spark's two APIs a stream uses. */
class ApiVersionChoiceSuite extends TestSuite with ReadSparkFixture {

  private def isV2(more: (String, String)*): Boolean = {
    val hub = newHub(1)
    fill(hub, 0, 0, 3)
    val query = runAvailable(stream(hub, more :+ fromStart: _*).writeStream.format("noop"), newFolder().toString)
    assert(query.recentProgress.map(_.numInputRows).sum == 3)
    val plan = query.asInstanceOf[StreamingQueryWrapper].streamingQuery.lastExecution.executedPlan
    plan.collectLeaves().exists(_.isInstanceOf[MicroBatchScanExec])
  }

  test("V2 is the default") {
    assert(isV2())
  }

  test("V1 by the option") {
    assert(!isV2("eventhubs.useV1Source" -> "true"))
  }

  test("V1 by Spark's own switch") {
    val switch = "spark.sql.streaming.disabledV2MicroBatchReaders"
    spark.conf.set(switch, classOf[EventHubsSourceProvider].getName)
    try assert(!isV2())
    finally spark.conf.unset(switch)
  }
}
