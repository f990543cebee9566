package org.apache.spark.sql.eventhubs.planning

import java.util.concurrent.Executor

import org.apache.spark.eventhubs.connection.{ClientConnectionPool, FakeHub}
import org.apache.spark.eventhubs.executor.KnownHubs
import org.apache.spark.eventhubs.service.HubSnapshot
import org.apache.spark.eventhubs.{JumpingClock, TestSettings}

private[planning] object PartitionInfoReaderFixture {

  /** A hub in memory, and the readers of one JVM that share what is known of it. */
  class Fixture(partitions: Int, options: (String, String)*) {
    val hub = new FakeHub(partitions)
    val clock = new JumpingClock
    val pool = new ClientConnectionPool(hub.connect, clock)
    val known = new KnownHubs(clock, background)
    val info: PartitionInfoReader = another(options: _*)

    protected def background: Executor = (work: Runnable) => work.run()

    def another(options: (String, String)*): PartitionInfoReader =
      new PartitionInfoReader(TestSettings.stream(options: _*), pool, known, clock)

    def plan(): HubSnapshot = info.recentSnapshot()
    def age: Long = info.answerMillis.get
    def end: Long = plan().bounds(0).latest
    def calls: Int = hub.propertiesCalls + hub.askedPartitions
  }
}
