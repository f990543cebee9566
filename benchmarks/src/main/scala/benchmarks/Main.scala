package benchmarks

import java.nio.file.Path
import java.time.Instant

import benchmarks.harness.{CaseResult, Machine, Plan, ResultFiles, Run}

/**
 * `make bench`: measures all cases and writes the results after each stage (reads, writes, exactly once, long streams)
 * of each profile.
 *
 * Arguments: `full`, `quick`, `cloud` (that profile alone), `streams` (its long streams, and what the distance costs)
 * or `smoke`, and the output folder.
 */
object Main {

  def main(args: Array[String]): Unit = {
    val plans = Plan.named(args(0))
    val folder = Path.of(args(1))
    // The results are tracked files, so the commit comes before they change.
    val (start, commit) = (Instant.now, Machine.commit)
    val files = new ResultFiles(folder, plans)
    plans.foldLeft(Seq.empty[CaseResult]) { (earlier, plan) =>
      var measured = earlier
      new Run(plan).results { results =>
        measured = earlier ++ results
        val others = measured.flatMap(_.passes.map(_.otherCores))
        files.write(measured, Machine.json(plan, start, commit, others))
      }
      measured
    }
    println(s"results: ${folder.resolve("latest.json")}")
  }
}
