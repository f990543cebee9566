package org.apache.spark.sql.eventhubs.source

import org.apache.spark.eventhubs.TestSettings
import org.apache.spark.eventhubs.connection.FakeHub
import org.apache.spark.eventhubs.executor.ExecutorResources
import org.apache.spark.eventhubs.rdd.TickingClock
import testkit.TestSuite

/** The size estimate of a compacted hub, whose last events may be gone. */
class CompactedSizeSuite extends TestSuite {

  private final class Fixture(missing: Set[Long]) {
    val hub = new FakeHub(1)
    hub.partitions(0).latest = 20
    hub.partitions(0).missing = missing
    hub.partitions(0).bodyBytes = 100
    val clock = new TickingClock
    private val settings =
      TestSettings.stream("eventhubs.compacted" -> "true", "eventhubs.startingPosition" -> "earliest")
    private val resources =
      new ExecutorResources(hub.connect, _ => throw new AssertionError("nothing is written"), clock)

    val bytes: Option[Long] = new RelationSize(settings, resources, clock).bytes()
    val isInTime: Boolean = clock.getTimeMillis() < settings.connection.operationTimeout.toMillis / 2
  }

  test("a missing tail is not waited for: the service says that no event follows") {
    val f = new Fixture((15L until 20L).toSet)
    assert(f.bytes.contains(20 * 356L) && f.isInTime)
    assert(f.hub.links.size == 1 && f.hub.links.head.drains == 2 && f.hub.openLinks.isEmpty)
  }

  test("a hub whose events are all gone has no known size, and is not waited for either") {
    val f = new Fixture((0L until 20L).toSet)
    assert(f.bytes.isEmpty && f.isInTime && f.hub.openLinks.isEmpty)
  }

  test("gaps before the last event cost no question") {
    val f = new Fixture((0L until 19L by 2).toSet)
    assert(f.bytes.contains(20 * 356L) && f.hub.links.head.drains == 0)
  }
}
