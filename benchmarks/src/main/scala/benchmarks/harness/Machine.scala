package benchmarks.harness

import java.nio.file.{Files, Path}
import java.time.Instant
import java.time.temporal.ChronoUnit
import java.util.Properties

import scala.jdk.CollectionConverters._
import scala.sys.process._

import org.apache.kafka.common.utils.AppInfoParser

import org.apache.spark.SPARK_VERSION

/** The machine, time and software of a run. */
object Machine {

  /** @param commit the commit before the run; the run changes the results, which are tracked files */
  def json(plan: Plan, start: Instant, commit: String, otherCores: Seq[Double]): ujson.Obj = ujson.Obj(
    "plan" -> plan.name,
    "date" -> start.truncatedTo(ChronoUnit.SECONDS).toString,
    "minutes" -> math.round((Instant.now.toEpochMilli - start.toEpochMilli) / 6000.0) / 10.0,
    "commit" -> commit,
    "processor" -> first("/proc/cpuinfo", "model name"),
    "cores" -> Runtime.getRuntime.availableProcessors,
    "memory" -> first("/proc/meminfo", "MemTotal"),
    "system" -> s"${sys.props("os.name")} ${sys.props("os.version")}",
    "java" -> s"${sys.props("java.vm.name")} ${sys.props("java.version")}",
    "spark" -> SPARK_VERSION,
    "kafkaClient" -> AppInfoParser.getVersion,
    "eventHubsSdk" -> sdkVersion,
    "otherCores" -> math.round(Statistics.median(otherCores) * 100) / 100.0
  )

  private def first(file: String, key: String): String =
    Files.readAllLines(Path.of(file)).asScala.collectFirst {
      case line if line.startsWith(key) => line.drop(line.indexOf(':') + 1).trim
    }.getOrElse("unknown")

  def commit: String =
    try Seq("git", "describe", "--always", "--dirty").!!.trim
    catch { case _: Exception => "unknown" }

  private def sdkVersion: String = {
    val resource = getClass.getResourceAsStream("/azure-messaging-eventhubs.properties")
    require(
      resource != null,
      "the SDK has no azure-messaging-eventhubs.properties; find its version in another way"
    )
    try {
      val properties = new Properties
      properties.load(resource)
      properties.getProperty("version")
    } finally resource.close()
  }
}
