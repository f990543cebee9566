package org.apache.spark.sql.eventhubs.placement

import org.apache.spark.eventhubs.NameAndPartition

/** Simulates placements on executors that join and leave. The results are in docs/internals/adr/0002. */
object PlacementSimulation {

  val Strategies: Seq[(String, PreferredLocations)] = Seq(
    "Hash" -> PreferredLocations.Hash,
    "BalancedHash" -> PreferredLocations.BalancedHash,
    "Stable" -> StablePlacement
  )

  val Sizes: Seq[(Int, Int)] =
    for (partitions <- Seq(1, 4, 32, 100, 1024); executors <- Seq(2, 5, 20, 200)) yield (partitions, executors)

  /**
   * @param load     partitions of the busiest executor, relative to the optimum
   * @param moves    average share of the partitions that move when one executor leaves (the same when one joins)
   * @param needless share of the partitions that move although their executor stays
   */
  final case class Outcome(load: Double, moves: Double, needless: Double)

  def run(strategy: PreferredLocations, partitions: Int, executors: Int): Outcome = {
    val names = (0 until partitions).map(NameAndPartition("telemetry", _))
    val all = (0 to executors).map(id => f"executor_10.0.0.${id % 16}%02d_$id").sorted
    val leavers = sample(all.indices, 12)
    val before = strategy.assign(names, all)
    val leastOfBusiest = (partitions + all.length - 1) / all.length
    val moved = leavers.map { index =>
      val without = all.patch(index, Nil, 1)
      val after = strategy.assign(names, without)
      // A join is the reverse of a leave, because the placement has no memory.
      val stayedUp = names.count(name => before(name) != all(index) && before(name) != after(name))
      (names.count(name => before(name) != after(name)), stayedUp)
    }
    Outcome(
      before.values.groupBy(identity).values.map(_.size).max.toDouble / leastOfBusiest,
      moved.map(_._1).sum.toDouble / moved.length / partitions,
      moved.map(_._2).sum.toDouble / moved.length / partitions
    )
  }

  def table: String = {
    val header =
      "| partitions | executors that stay | " + Strategies.map { case (name, _) =>
        s"$name: load, moves, needless"
      }.mkString(
        " | "
      ) +
        " | least moves |\n|---|---|" + "---|" * Strategies.length + "---|"
    val rows = Sizes.map { case (partitions, executors) =>
      val cells = Strategies.map { case (_, strategy) =>
        val outcome = run(strategy, partitions, executors)
        f"${outcome.load}%.2f, ${100 * outcome.moves}%.1f %%, ${100 * outcome.needless}%.1f %%"
      }
      f"| $partitions | $executors | ${cells.mkString(" | ")} | ${100.0 / (executors + 1)}%.1f %% |"
    }
    (header +: rows).mkString("\n")
  }

  private def sample(indices: Range, most: Int): Seq[Int] =
    if (indices.length <= most) indices else (0 until most).map(i => indices(i * indices.length / most))
}
