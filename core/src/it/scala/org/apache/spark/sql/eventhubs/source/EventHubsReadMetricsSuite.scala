package org.apache.spark.sql.eventhubs.source

import org.apache.spark.sql.connector.metric.CustomMetric
import org.apache.spark.sql.eventhubs.EventHubsReadMetrics
import org.apache.spark.sql.execution.streaming.runtime.StreamingQueryWrapper
import org.apache.spark.sql.streaming.StreamingQuery
import testkit.TestSuite

class EventHubsReadMetricsSuite extends TestSuite with ReadSparkFixture {

  /** The metrics of the query's last batch on the SQL page. */
  private def shown(query: StreamingQuery): Map[String, Long] = {
    val wrapper = query.asInstanceOf[StreamingQueryWrapper]
    val metrics = wrapper.streamingQuery.lastExecution.executedPlan.collectLeaves().flatMap(_.metrics).toMap
    EventHubsReadMetrics.all.map(_.name).map(name => name -> metrics(name).value).toMap
  }

  test("the UI shows what the tasks read, waited and opened; the second batch reuses the open links") {
    val hub = newHub(2)
    val query = stream(hub, fromStart).writeStream.format("noop")
      .option("checkpointLocation", newFolder().toString).start()
    try {
      (0 to 1).foreach(send(hub, _, "12345", "1234567890"))
      eventually("the first batches did not come")(query.recentProgress.map(_.numInputRows).sum == 4)
      (0 to 1).foreach(send(hub, _, "a", "b"))
      eventually("the second batches did not come")(query.recentProgress.map(_.numInputRows).sum == 8)
      query.processAllAvailable()
      val last = query.recentProgress.filter(_.numInputRows > 0).last
      val metrics = shown(query)
      assert(metrics("eventsRead") == last.numInputRows && metrics("bytesRead") == last.numInputRows)
      assert(metrics("linksOpened") == 0 && metrics("lostEvents") == 0)
      assert(metrics("receiveWaitMs") >= 0)
    } finally query.stop()
  }

  test("the first batch opens a link for each partition") {
    val hub = newHub(3)
    (0 until 3).foreach(send(hub, _, "12345"))
    val metrics = shown(runAvailable(stream(hub, fromStart).writeStream.format("noop"), newFolder().toString))
    assert(metrics("linksOpened") == 3 && metrics("bytesRead") == 15 && metrics("eventsRead") == 3)
  }

  test("Spark can create each metric from its class name") {
    EventHubsReadMetrics.all.foreach { metric =>
      val made = metric.getClass.getConstructor().newInstance().asInstanceOf[CustomMetric]
      assert(made.name == metric.name && made.aggregateTaskMetrics(Array(1, 2)) == "3")
    }
  }
}
