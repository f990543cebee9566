package benchmarks

import java.nio.file.{Files, Path, StandardCopyOption}
import java.time.Instant

import benchmarks.harness.{CaseResult, Machine, Plan, Run}

/**
 * `make bench`: measures all cases and writes `latest.json` (an array, one object per case) and `machine.json`, after
 * each stage (reads, writes, exactly once, long streams) of each profile. The files of the previous run move to the
 * folder `previous`.
 *
 * Arguments: `full`, `quick` or `smoke`, and the output folder.
 */
object Main {

  def main(args: Array[String]): Unit = {
    val plans = Plan.named(args(0))
    val folder = Files.createDirectories(Path.of(args(1)))
    val (start, commit) = (Instant.now, Machine.commit)
    keep(folder, "latest.json", "machine.json")
    plans.foldLeft(Seq.empty[CaseResult]) { (earlier, plan) =>
      var measured = earlier
      new Run(plan).results { results =>
        measured = earlier ++ results
        val others = measured.flatMap(_.passes.map(_.otherCores))
        write(folder.resolve("latest.json"), array(measured))
        write(folder.resolve("machine.json"), ujson.write(Machine.json(plan, start, commit, others), indent = 2))
      }
      measured
    }
    println(s"results: ${folder.resolve("latest.json")}")
  }

  /** Keeps the previous run: two runs show which ratios are stable. */
  private def keep(folder: Path, names: String*): Unit = {
    val previous = Files.createDirectories(folder.resolve("previous"))
    names.filter(name => Files.exists(folder.resolve(name))).foreach { name =>
      Files.move(folder.resolve(name), previous.resolve(name), StandardCopyOption.REPLACE_EXISTING)
    }
  }

  /** One case per line, for readable diffs between runs. */
  private def array(results: Seq[CaseResult]): String =
    results.map(result => ujson.write(result.json)).mkString("[\n", ",\n", "\n]")

  private def write(file: Path, json: String): Unit = {
    Files.writeString(file, json + "\n")
    ()
  }
}
