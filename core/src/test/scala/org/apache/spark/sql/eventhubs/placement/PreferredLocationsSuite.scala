package org.apache.spark.sql.eventhubs.placement

import org.apache.spark.eventhubs.NameAndPartition
import org.apache.spark.sql.eventhubs.placement.PreferredLocations.{BalancedHash, Hash}
import testkit.TestSuite

class PreferredLocationsSuite extends TestSuite {

  private val executors = IndexedSeq("host0_1", "host0_2", "host1_3")

  private def places(chooser: PreferredLocations, hub: String, partitions: Int): Seq[String] =
    (0 until partitions).flatMap(id => chooser.locate(NameAndPartition(hub, id), executors))

  test("without executors nothing is preferred") {
    assert(Hash.locate(NameAndPartition("hub", 0), IndexedSeq.empty).isEmpty)
    assert(BalancedHash.locate(NameAndPartition("hub", 0), IndexedSeq.empty).isEmpty)
  }

  test("BalancedHash puts consecutive partitions on consecutive executors") {
    val first = executors.indexOf(places(BalancedHash, "hub", 1).head)
    assert(places(BalancedHash, "hub", 7) == (0 until 7).map(i => executors((first + i) % 3)))
  }

  test("with BalancedHash the executors' partition counts differ by at most one") {
    for (partitions <- 1 to 40) {
      val load = places(BalancedHash, "telemetry", partitions).groupBy(identity).map { case (place, all) =>
        place -> all.size
      }
      val counts = executors.map(load.getOrElse(_, 0))
      assert(counts.max - counts.min <= 1, s"for $partitions partitions")
    }
  }

  test("BalancedHash starts different hubs at different executors") {
    val starts = (0 until 20).map(i => places(BalancedHash, s"hub$i", 1).head).toSet
    assert(starts == executors.toSet)
  }

  test("Hash uses all executors, also for negative hashes") {
    val placed = (0 until 20).flatMap(i => places(Hash, s"hub$i", 8))
    assert((0 until 20).exists(i => NameAndPartition(s"hub$i", 0).hashCode < 0))
    assert(placed.toSet == executors.toSet)
  }

  test("a partition stays on its executor while the executors stay") {
    for (chooser <- Seq(Hash, BalancedHash))
      assert(places(chooser, "hub", 16) == places(chooser, "hub", 16))
  }
}
