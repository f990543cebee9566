package org.apache.spark.sql.eventhubs.hubs

import java.time.{Duration, Instant}

import scala.collection.mutable

import org.apache.spark.eventhubs.checkpoints.StoredCheckpoint
import org.apache.spark.eventhubs.options.OwnershipMode
import org.apache.spark.eventhubs.ownership.{MemoryOwnershipStore, OwnerId, QueryOwnership}
import org.apache.spark.eventhubs.{EventHubsException, NameAndPartition}
import org.apache.spark.sql.eventhubs.TestSpark
import testkit.TestSuite

/** A running query that owns the partitions of its hubs. */
class OwnedHubsSuite extends TestSuite with TestSpark {

  private class Owned(names: String) {
    val f = new StreamPlannerFixture(spark, names, "eventhubs.startingPosition" -> "earliest")
    val stores: mutable.Map[String, MemoryOwnershipStore] = mutable.Map.empty
    var checkpoints = Map.empty[String, Long]

    f.ownership = Some(new QueryOwnership(
      OwnershipMode.Fail,
      OwnerId("spark-a", "run"),
      Duration.ofDays(1),
      f.clock,
      () => true,
      settings => store(settings.connection.hub.name),
      settings =>
        checkpoints.get(settings.connection.hub.name)
          .map(next => 0 -> StoredCheckpoint("0", Some(next - 1), None, Instant.parse("2100-01-01T00:00:00Z"))).toMap
    ))

    def store(hub: String): MemoryOwnershipStore =
      synchronized(stores.getOrElseUpdate(hub, new MemoryOwnershipStore(f.clock)))
  }

  test("a hub that appears is claimed before it joins, and joins once no other owner has a partition of it") {
    val o = new Owned("/orders-.*/")
    o.f.retain("orders-1", (0, 10))
    val start = o.f.latest(o.f.planner.initialOffset)
    assert(o.store("orders-1").owners == Map(0 -> "spark-a/run"))
    o.f.retain("orders-2", (0, 9))
    o.store("orders-2").set(0, "processor-7")
    o.f.clock.advance(600000)
    assert(o.f.latest(start) == start && o.store("orders-2").owners == Map(0 -> "processor-7"))
    o.store("orders-2").set(0, "")
    o.checkpoints = Map("orders-2" -> 4L)
    o.f.clock.advance(600000)
    val end = o.f.latest(start)
    assert(o.f.ranges(start, end) == Map(NameAndPartition("orders-2", 0) -> (4L, 9L)))
    assert(o.store("orders-2").owners == Map(0 -> "spark-a/run"))
  }

  test("a partition that is lost in one hub stops the query of several, and its error names the hub") {
    val o = new Owned("orders,returns")
    Seq("orders", "returns").foreach(o.f.retain(_, (0, 10)))
    val start = o.f.latest(o.f.planner.initialOffset)
    o.f.clock.advance(Duration.ofDays(1).toMillis)
    val error = intercept[EventHubsException](o.f.latest(start))
    assert(error.getCondition == "EVENTHUBS_OWNERSHIP.LOST" && error.getMessageParameters.get("hub") == "orders")
  }
}
