package org.apache.spark.sql.eventhubs.checkpointstore

import org.apache.spark.sql.eventhubs.realtime.{RealTimeFixture, RealTimeRows}
import testkit.TestSuite

class RealTimePublishSuite extends TestSuite with RealTimeFixture with CheckpointStoreFixture {

  override protected lazy val namespace: String = localHub.connectionString("x").split("[/:;]")(3)

  test("Real-Time Mode publishes the end of each batch") {
    val hub = newHub(2)
    val container = newContainer()
    val frame = stream(hub, storeOptions(container) :+ fromStart: _*)
    val query = start("published", frame, realTime, newFolder().toString)
    try {
      fill(hub, 0, 0, 5)
      eventually("the events came")(RealTimeRows.of("published").size == 5)
      eventually("they are published")(published(container, hub) == Map(0 -> 4L))
      fill(hub, 1, 0, 3)
      eventually("more is published")(published(container, hub) == Map(0 -> 4L, 1 -> 2L))
    } finally query.stop()
  }
}
