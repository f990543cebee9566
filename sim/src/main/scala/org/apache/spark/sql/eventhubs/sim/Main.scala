package org.apache.spark.sql.eventhubs.sim

/** `make sim`: searches seeds for a violation, shortens the schedule of the first one, and says how to replay it. */
object Main {

  def main(args: Array[String]): Unit = {
    def option(name: String) = sys.env.get(name).filter(_.nonEmpty)
    val hours = option("HOURS").map(_.toDouble)
    val failed = (option("MUTATIONS"), option("SEED")) match {
      case (Some(which), _) => Mutants.search(hours.getOrElse(200.0), Some(which).filter(_ != "all")).nonEmpty
      case (_, Some(seed)) => replay(seed.toLong, option("KEEP"), option("SALT").fold(0)(_.toInt))
      case _ => search(option("FROM").fold(1L)(_.toLong), hours.getOrElse(200.0), option("SHORTEN").forall(_ != "no"))
    }
    // Threads of Hadoop and Reactor may be left.
    System.exit(if (failed) 1 else 0)
  }

  private def replay(seed: Long, keep: Option[String], salt: Int): Boolean = {
    val all = RunPlan.of(seed).copy(salt = salt)
    val plan = keep.fold(all)(kept => all.only(if (kept == "none") Set.empty else kept.split(',').map(_.toInt).toSet))
    println(s"Seed $seed, ${plan.shape}")
    plan.faults.foreach(println)
    val outcome = Simulation.run(plan)
    println(outcome.violation.fold(s"No violation: $outcome")(found => s"Violation: ${found.getMessage}"))
    outcome.violation.nonEmpty
  }

  private def search(first: Long, hours: Double, shortens: Boolean): Boolean = {
    val started = System.nanoTime()
    var seed = first
    var simulated, events, lost, restarts, batches = 0L
    var found = Option.empty[(RunPlan, Violation)]
    while (found.isEmpty && simulated < hours * 3600000) {
      val plan = RunPlan.of(seed)
      val outcome = Simulation.run(plan)
      simulated += plan.millis
      events += outcome.events
      lost += outcome.lost
      restarts += outcome.restarts
      batches += outcome.batches
      found = outcome.violation.map(plan -> _)
      seed += 1
    }
    val seconds = (System.nanoTime() - started) / 1e9
    val rate = simulated / 3600000.0 / seconds * 60
    println(
      f"Seeds $first to ${seed - 1}: ${simulated / 3600000.0}%.0f simulated hours in $seconds%.0f s ($rate%.0f hours a " +
        f"minute), $batches batches, $events events, $lost reported as lost, $restarts restarts"
    )
    found.foreach { case (plan, violation) =>
      println(s"Violation with seed ${plan.seed}: ${violation.getMessage}")
    }
    found.filter(_ => shortens).foreach { case (plan, violation) =>
      val shorter = Shrink(plan, violation.kind)
      println(s"${plan.shape}")
      println(s"Shortened from ${plan.faults.length} to ${shorter.faults.length} faults:")
      shorter.faults.foreach(println)
      println(Simulation.run(shorter).violation.fold("")(again => s"With these: ${again.getMessage}"))
      val keep = if (shorter.faults.isEmpty) "none" else shorter.faults.map(_.index).mkString(",")
      println(s"Replay: make sim SEED=${plan.seed} KEEP=$keep SALT=${shorter.salt}")
    }
    if (found.isEmpty) println("No violation.")
    found.nonEmpty
  }
}

/**
 * Removes faults from a plan as long as a violation of the same kind is left. Without a fault all later delays are
 * others, so several salts are tried.
 */
private[sim] object Shrink {

  private val Salts = 8

  def apply(plan: RunPlan, kind: String): RunPlan = {
    var shortest = plan
    def isShorter(kept: Set[Int]): Boolean = {
      val found = (0 until Salts).iterator.map(salt => plan.only(kept).copy(salt = salt))
        .find(Simulation.run(_).violation.exists(_.kind == kind))
      found.foreach(shortest = _)
      found.nonEmpty
    }
    var size = math.max(1, plan.faults.length / 2)
    while (size >= 1) {
      var hasChanged = false
      shortest.faults.map(_.index).grouped(size).foreach { chunk =>
        hasChanged |= isShorter(shortest.faults.map(_.index).toSet -- chunk)
      }
      if (!hasChanged || size > 1) size /= 2
    }
    shortest
  }
}
