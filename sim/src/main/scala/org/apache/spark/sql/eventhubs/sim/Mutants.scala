package org.apache.spark.sql.eventhubs.sim

import java.io.File
import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._
import scala.reflect.internal.util.BatchSourceFile
import scala.tools.nsc.reporters.StoreReporter
import scala.tools.nsc.{Global, Settings}

/** Compiles the connector with one defect after the other, and searches each in a process of its own. */
private[sim] object Mutants {

  private val Sources = Path.of("core/src/main/scala/org/apache/spark")
  private val Found = "Violation with seed".r.unanchored

  /** @return the defects that were not found */
  def search(hours: Double, only: Option[String]): Seq[Mutation] = {
    val chosen = Mutations.all.filter(mutation => only.forall(mutation.name.contains))
    val missed = chosen.filterNot { mutation =>
      val classes = compiled(mutation)
      val lines = run(classes, hours)
      val found = lines.exists(Found.matches)
      val spent = lines.find(_.startsWith("Seeds")).getOrElse(lines.lastOption.getOrElse("no output"))
      val how = lines.find(Found.matches).fold("NOT FOUND")(line => line.take(160))
      println(s"${mutation.name}\n    $spent\n    $how")
      found
    }
    println(s"${chosen.length - missed.length} of ${chosen.length} defects were found.")
    missed
  }

  private def compiled(mutation: Mutation): Path = {
    val file = Sources.resolve(mutation.file)
    val text = Files.readString(file)
    val at = text.indexOf(mutation.find)
    if (at < 0 || text.indexOf(mutation.find, at + 1) >= 0)
      throw new IllegalStateException(s"'${mutation.name}': its text is not in $file, or more than once")
    val out = Files.createTempDirectory("mutant")
    val settings = new Settings
    settings.classpath.value = System.getProperty("java.class.path")
    settings.outputDirs.setSingleOutput(out.toString)
    settings.processArguments(List("-nowarn", "-release:17", "-Xmixin-force-forwarders:false"), processAll = true)
    val reporter = new StoreReporter(settings)
    val compiler = new Global(settings, reporter)
    new compiler.Run()
      .compileSources(List(new BatchSourceFile(file.toString, text.replace(mutation.find, mutation.replace))))
    if (reporter.hasErrors) throw new IllegalStateException(s"'${mutation.name}': ${reporter.infos.mkString("\n")}")
    out
  }

  private def run(classes: Path, hours: Double): Seq[String] = {
    val options = java.lang.management.ManagementFactory.getRuntimeMXBean.getInputArguments.asScala
    val program = Path.of(System.getProperty("java.home"), "bin", "java").toString
    val path = classes.toString + File.pathSeparator + System.getProperty("java.class.path")
    val command = Seq(program) ++ options ++ Seq("-cp", path, Main.getClass.getName.stripSuffix("$"))
    val builder = new ProcessBuilder(command.asJava).redirectErrorStream(true)
    builder.environment.remove("MUTATIONS")
    builder.environment.put("HOURS", hours.toString)
    builder.environment.put("SHORTEN", "no")
    val process = builder.start()
    new String(process.getInputStream.readAllBytes()).linesIterator.toList
  }
}
