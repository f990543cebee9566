package org.apache.spark.sql.eventhubs.placement

import scala.util.Random

import org.apache.spark.eventhubs.NameAndPartition
import testkit.TestSuite

class StablePlacementSuite extends TestSuite {

  private def partitions(n: Int) = (0 until n).map(NameAndPartition("telemetry", _))
  private def executors(n: Int) = (0 until n).map(id => s"executor_host${id}_$id")

  test("every partition has an executor, and no executor has more than its share") {
    for (n <- Seq(1, 3, 4, 32, 101); k <- Seq(1, 2, 5, 16, 200)) {
      val placed = StablePlacement.assign(partitions(n), executors(k))
      assert(placed.keySet == partitions(n).toSet)
      assert(placed.values.groupBy(identity).values.map(_.size).max <= (n + k - 1) / k, s"$n on $k")
    }
  }

  test("neither the order of the partitions nor that of the executors matters") {
    val placed = StablePlacement.assign(partitions(32), executors(5))
    val random = new Random(1)
    (1 to 5).foreach { _ =>
      assert(StablePlacement.assign(random.shuffle(partitions(32)), random.shuffle(executors(5))) == placed)
    }
  }

  test("without executors no partition is placed") {
    assert(StablePlacement.assign(partitions(4), IndexedSeq.empty).isEmpty)
    assert(StablePlacement.locate(partitions(1).head, IndexedSeq.empty).isEmpty)
  }

  test("hubs with the same partitions start at different executors") {
    val firsts = (0 until 20).map(hub => StablePlacement.locate(NameAndPartition(s"hub-$hub", 0), executors(5)).get)
    assert(firsts.toSet.size > 2)
  }

  test("in a simulation, Stable is even and moves far fewer partitions than the others") {
    println(PlacementSimulation.table)
    PlacementSimulation.Sizes.foreach { case (partitions, executors) =>
      val stable = PlacementSimulation.run(StablePlacement, partitions, executors)
      val balanced = PlacementSimulation.run(PreferredLocations.BalancedHash, partitions, executors)
      assert(stable.load <= 1.0, s"$partitions on $executors")
      if (partitions >= 32 && executors >= 5 && executors < 200)
        assert(stable.moves < balanced.moves / 2, s"$partitions on $executors")
    }
  }
}
