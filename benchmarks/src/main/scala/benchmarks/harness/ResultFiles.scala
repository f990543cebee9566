package benchmarks.harness

import java.nio.file.{Files, Path, StandardCopyOption}

import ujson.Value

/**
 * `latest.json` (an array, one object per case) and `machine.json`, in a folder that it creates. The folder `previous`
 * below it gets those of the previous run, because two runs show which ratios are stable.
 *
 * A run of the profile `cloud` alone, or of its long streams, replaces the cases that it measures. All others stay, and
 * `machine.json` describes each run.
 *
 * @param plans of the run
 */
final class ResultFiles(folder: Path, plans: Seq[Plan]) {

  import ResultFiles._

  private val name = plans.head.name
  private val isPart = Parts.contains(name)
  private val previous = Files.createDirectories(folder.resolve("previous"))
  private val before = read(folder)
  if (name == Cloud) read(previous).foreach(keepCloud) else if (!isPart) before.foreach(_ => keepAll())

  private val keptCases = if (isPart) before.toSeq.flatMap(_.cases).filterNot(isMeasured) else Nil
  private val keptMachine = before.map(_.machine).filter(_ => isPart)

  /**
   * Replaces both files.
   *
   * @param measured all results of this run so far
   * @param about    this run
   */
  def write(measured: Seq[CaseResult], about: ujson.Obj): Unit = {
    // The profile's run measures its long streams too.
    val replaced = Parts.drop(Parts.indexOf(name))
    val machine =
      keptMachine.fold(about)(kept =>
        ujson.Obj.from(kept.obj.toSeq.filterNot(of => replaced.contains(of._1)) :+ name -> about)
      )
    write(folder, Both(keptCases ++ measured.map(_.json), machine))
  }

  private def keepAll(): Unit = Names.foreach { name =>
    Files.copy(folder.resolve(name), previous.resolve(name), StandardCopyOption.REPLACE_EXISTING)
  }

  /** The profile has a new previous run, and the others still have theirs. */
  private def keepCloud(older: Both): Unit = before.foreach { newer =>
    val ofCloud = newer.machine.obj.getOrElse(Cloud, newer.machine)
    val about = older.machine.obj.toSeq.filter(_._1 != Cloud) :+ Cloud -> ofCloud
    write(previous, Both(older.cases.filter(isLoopback) ++ newer.cases.filterNot(isLoopback), ujson.Obj.from(about)))
  }

  private def isMeasured(found: Value): Boolean = !isLoopback(found) && {
    val profile = Profile.cloud(found.obj.get("roundTripMillis").fold(0)(_.num.toInt))
    plans.exists(_.measures(profile, found.obj.get("steady").exists(_.bool)))
  }

  private def read(from: Path): Option[Both] = Option.when(Names.forall(name => Files.exists(from.resolve(name)))) {
    val Seq(cases, machine) = Names.map(name => ujson.read(Files.readString(from.resolve(name)))): @unchecked
    Both(cases.arr.toSeq, machine)
  }

  private def write(to: Path, both: Both): Unit = {
    // One case per line, for readable diffs between runs.
    val cases = both.cases.map(ujson.write(_)).mkString("[\n", ",\n", "\n]")
    Names.zip(Seq(cases, ujson.write(both.machine, indent = 2))).foreach { case (name, json) =>
      Files.writeString(to.resolve(name), json + "\n")
    }
  }
}

private object ResultFiles {

  private val Names = Seq("latest.json", "machine.json")

  /** The fields of `machine.json` with the run of the profile, and that of its long streams, where they were others. */
  private val Parts = Seq("cloud", "streams")
  private val Cloud = Parts.head

  private final case class Both(cases: Seq[Value], machine: Value)

  private def isLoopback(measured: Value): Boolean = measured("profile").str == Profile.Loopback.name
}
