package benchmarks.harness

import java.nio.file.{Files, Path, StandardCopyOption}

import ujson.Value

/**
 * `latest.json` (an array, one object per case) and `machine.json`, in a folder that it creates. The files of the
 * previous run move to the folder `previous` below it.
 *
 * @param onlyCloud the run measures the profile `cloud` alone; the other cases of the previous run stay, and
 *                  `machine.json` describes both runs
 */
final class ResultFiles(folder: Path, onlyCloud: Boolean) {

  private val cases = folder.resolve("latest.json")
  private val machine = folder.resolve("machine.json")

  private val keptCases: Seq[Value] =
    if (onlyCloud && Files.exists(cases)) parsed(cases).arr.filter(isLoopback).toSeq else Nil
  private val keptMachine: Option[Value] = Option.when(onlyCloud && Files.exists(machine))(parsed(machine))

  // Two runs show which ratios are stable.
  private val previous = Files.createDirectories(folder.resolve("previous"))
  Seq(cases, machine).filter(Files.exists(_)).foreach { file =>
    Files.move(file, previous.resolve(file.getFileName), StandardCopyOption.REPLACE_EXISTING)
  }

  /**
   * Replaces both files.
   *
   * @param measured all results of this run so far
   * @param about    this run
   */
  def write(measured: Seq[CaseResult], about: ujson.Obj): Unit = {
    val all = keptCases ++ measured.map(_.json)
    // One case per line, for readable diffs between runs.
    write(cases, all.map(ujson.write(_)).mkString("[\n", ",\n", "\n]"))
    val both =
      keptMachine.fold(about)(kept => ujson.Obj.from(kept.obj.toSeq.filter(_._1 != "cloud") :+ "cloud" -> about))
    write(machine, ujson.write(both, indent = 2))
  }

  /** Results of earlier versions do not say it. */
  private def isLoopback(measured: Value): Boolean = measured.obj.get("profile").forall(_.str == Profile.Loopback.name)

  private def parsed(file: Path): Value = ujson.read(Files.readString(file))

  private def write(file: Path, json: String): Unit = {
    Files.writeString(file, json + "\n")
    ()
  }
}
