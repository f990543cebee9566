package org.apache.spark.sql.eventhubs.checkpointstore

import java.io.{BufferedReader, InputStreamReader}
import java.lang.management.ManagementFactory
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.Path
import java.util.concurrent.{ConcurrentLinkedQueue, TimeUnit}

import scala.jdk.CollectionConverters._

/** One owner's time: a program in a JVM of its own, and what the store had (last processed numbers) when it started. */
final class OwnerTurn(program: String, arguments: Seq[String], val checkpoints: Map[Int, Long]) {

  private val processed = new ConcurrentLinkedQueue[Processed]
  private val other = new ConcurrentLinkedQueue[String]

  private val process = {
    val java = Path.of(sys.props("java.home"), "bin", "java").toString
    val opens = ManagementFactory.getRuntimeMXBean.getInputArguments.asScala.filter(_.startsWith("--add-opens"))
    val options = Seq("-Xmx512m", s"-Djava.io.tmpdir=${sys.props("java.io.tmpdir")}") ++ opens
    val command = (java +: options) ++ Seq("-cp", sys.props("java.class.path"), program) ++ arguments
    new ProcessBuilder(command: _*).redirectErrorStream(true).start()
  }

  private val listener = new Thread(() => listen(), s"output of $program")
  listener.setDaemon(true)
  listener.start()

  private def listen(): Unit = {
    val lines = new BufferedReader(new InputStreamReader(process.getInputStream, UTF_8))
    lines.lines().forEach { line =>
      Processed.parse(line).fold(other.add(line))(processed.add)
      ()
    }
  }

  /** In order. */
  def events: Seq[Processed] = processed.asScala.toSeq

  def isRunning: Boolean = process.isAlive

  def output: String = other.asScala.mkString("\n").takeRight(3000)

  /** Ends it as planned: it releases its partitions. */
  def stop(): Unit = {
    process.getOutputStream.close()
    assert(process.waitFor(1, TimeUnit.MINUTES), s"$program has not ended: $output")
    listener.join()
    assert(process.exitValue == 0, output)
  }

  /** As `kill -9`; waits until all that it printed is here. */
  def kill(): Unit = {
    process.destroyForcibly().waitFor()
    listener.join()
  }
}
