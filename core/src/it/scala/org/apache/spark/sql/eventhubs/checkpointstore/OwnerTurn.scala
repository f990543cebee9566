package org.apache.spark.sql.eventhubs.checkpointstore

import java.lang.management.ManagementFactory
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path}
import java.util.concurrent.TimeUnit

import scala.jdk.CollectionConverters._

/**
 * One owner's time: a program in a JVM of its own.
 *
 * @param checkpoints the last processed number of each partition, as the store had it when the turn started
 * @param unfinished  the batches that Spark had planned and not committed then
 */
final class OwnerTurn(
    program: String,
    arguments: Seq[String],
    val checkpoints: Map[Int, Long],
    val unfinished: Set[Long]
) {

  // Not a pipe: what nobody has read from one is lost when its program is killed.
  private val log = Files.createTempFile("owner-turn-", ".log")

  private val process = {
    val java = Path.of(sys.props("java.home"), "bin", "java").toString
    val opens = ManagementFactory.getRuntimeMXBean.getInputArguments.asScala.filter(_.startsWith("--add-opens"))
    val options = Seq("-Xmx512m", s"-Djava.io.tmpdir=${sys.props("java.io.tmpdir")}") ++ opens
    val command = (java +: options) ++ Seq("-cp", sys.props("java.class.path"), program) ++ arguments
    new ProcessBuilder(command: _*).redirectErrorStream(true).redirectOutput(log.toFile).start()
  }

  private def lines: Seq[String] = new String(Files.readAllBytes(log), UTF_8).split('\n').toSeq

  /** In order. */
  def events: Seq[Processed] = lines.flatMap(line => Processed.parse(line))

  def isRunning: Boolean = process.isAlive

  /** The end of what it printed besides its events. */
  def output: String = lines.filter(line => Processed.parse(line).isEmpty).mkString("\n").takeRight(3000)

  /** Ends it as planned: it releases its partitions. */
  def stop(): Unit = {
    process.getOutputStream.close()
    assert(process.waitFor(1, TimeUnit.MINUTES), s"$program has not ended: $output")
    assert(process.exitValue == 0, output)
  }

  /** Ends the program like `kill -9`. */
  def kill(): Unit = {
    process.destroyForcibly().waitFor()
    ()
  }
}
