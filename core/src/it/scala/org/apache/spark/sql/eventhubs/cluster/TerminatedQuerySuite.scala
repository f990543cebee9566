package org.apache.spark.sql.eventhubs.cluster

import java.io.File
import java.lang.management.ManagementFactory
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path}
import java.util.concurrent.TimeUnit

import scala.jdk.CollectionConverters._

import org.scalatest.time.{Millis, Minutes, Span}

import localhub.amqp.fault.{Fault, FaultAction, Occasion}
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.eventhubs.source.ReadHubFixture
import testkit.{Patience, TestSuite}

/** What the driver of a query prints when it is terminated, as by an orchestrator. */
class TerminatedQuerySuite extends TestSuite with ReadHubFixture {

  /** Another JVM starts Spark. */
  implicit override def patienceConfig: PatienceConfig = PatienceConfig(Patience(3, Minutes), Span(50, Millis))

  override def timeLimit: Span = Patience(6, Minutes)

  private def stored(name: String): Long = hub(name).partitions.map(_.bounds.lastSequenceNumber + 1).sum

  /**
   * Lines of the connector and of the SDK after SIGTERM. Spark reports the job that it cancels.
   *
   * @param wait returns when the query, which copies the first hub to the second one, waits
   */
  private def linesAtEnd(fault: Fault)(wait: (String, String) => Unit): Seq[String] = {
    val (from, to) = (newHub(), newHub())
    send(from, 50, 50, 50, 50)
    val folder = Files.createTempDirectory("terminated-query-")
    val log = folder.resolve("log")
    val query = new ProcessBuilder(command(folder, localHub.connectionString(from), localHub.connectionString(to)): _*)
      .redirectErrorStream(true)
      .redirectOutput(log.toFile)
      .start()
    def output = new String(Files.readAllBytes(log), UTF_8)
    try {
      eventually("a batch is committed")(Files.exists(folder.resolve("checkpoint/commits/0")))
      localHub.faults.inject(fault)
      wait(from, to)
      query.destroy()
      assert(query.waitFor(1, TimeUnit.MINUTES), output)
      output.linesIterator.filter(line => Seq("com.azure", "EVENTHUBS_", "eventhubs.").exists(line.contains)).toSeq
        .filterNot(line => line.contains("is aborting.") || line.contains(" aborted."))
    } finally {
      localHub.faults.clear()
      query.destroyForcibly()
      ()
    }
  }

  private def command(folder: Path, arguments: String*): Seq[String] = {
    val logging = Files.write(folder.resolve("log4j2.properties"), TerminatedQuery.Logging.getBytes(UTF_8))
    // Spark's logging alone, as in production.
    val classPath = sys.props("java.class.path").split(File.pathSeparator).filterNot(_.contains("slf4j-simple"))
    val options = ManagementFactory.getRuntimeMXBean.getInputArguments.asScala
      .filter(option => option.startsWith("--add-opens") || option.startsWith("-XX:"))
    Seq(Path.of(sys.props("java.home"), "bin", "java").toString, "-Xmx512m", s"-Dlog4j2.configurationFile=$logging") ++
      options ++ Seq(
        "-cp",
        classPath.mkString(File.pathSeparator),
        TerminatedQuery.getClass.getName.stripSuffix("$")
      ) ++
      arguments :+ folder.resolve("checkpoint").toString
  }

  test("SIGTERM while the driver waits for an answer prints no error of the connector or of the SDK") {
    val lines = linesAtEnd(Fault(FaultAction.LoseAnswer, Occasion.Manage)) { (_, _) =>
      eventually("an answer is lost")(localHub.faults.active.exists(_.hits > 0))
    }
    assert(lines.isEmpty)
  }

  test("SIGTERM while a task waits for an answer prints no error of the connector or of the SDK") {
    val lines = linesAtEnd(Fault(FaultAction.Stall, Occasion.Stored)) { (from, to) =>
      val before = stored(to)
      send(from, 50, 50, 50, 50)
      eventually("the events are sent")(stored(to) > before)
    }
    assert(lines.isEmpty)
  }
}

/** Copies a hub until it is terminated. */
object TerminatedQuery {

  /** Lines with the whole name of their logger. */
  val Logging: String =
    """shutdownHook = disable
      |rootLogger.level = warn
      |rootLogger.appenderRef.out.ref = out
      |appender.out.type = Console
      |appender.out.name = out
      |appender.out.layout.type = PatternLayout
      |appender.out.layout.pattern = %p %c: %m%n%ex
      |""".stripMargin

  def main(arguments: Array[String]): Unit = {
    val spark = SparkSession.builder().master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    spark.readStream
      .format("eventhubs")
      .options(Map("eventhubs.connectionString" -> arguments(0), "eventhubs.startingPosition" -> "earliest"))
      .load()
      .select("body")
      .writeStream
      .format("eventhubs")
      .options(Map("eventhubs.connectionString" -> arguments(1), "checkpointLocation" -> arguments(2)))
      .start()
      .awaitTermination()
  }
}
