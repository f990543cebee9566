package benchmarks.latency

import java.io.{BufferedReader, InputStreamReader}
import java.lang.management.ManagementFactory
import java.nio.file.Path
import java.util.concurrent.TimeUnit

import scala.jdk.CollectionConverters._

import benchmarks.harness.Client

/** A [[RealTimeCopy]] in a JVM of its own, whose query has started. */
private[latency] final class CopyProcess(
    client: Client,
    address: String,
    source: String,
    target: String,
    javaOptions: Seq[String]
) extends AutoCloseable {

  private val jvm = {
    val opens = ManagementFactory.getRuntimeMXBean.getInputArguments.asScala.toSeq.filter(_.startsWith("--add-opens"))
    val program = Seq("benchmarks.latency.RealTimeCopy", client.name, address, source, target)
    new ProcessBuilder(
      (Seq(Path.of(sys.props("java.home"), "bin", "java").toString) ++ CopyProcess.Heap ++ opens ++ javaOptions ++
        Seq("-cp", sys.props("java.class.path")) ++ program): _*
    ).redirectError(ProcessBuilder.Redirect.INHERIT).start()
  }

  require(
    new BufferedReader(new InputStreamReader(jvm.getInputStream)).readLine() == "ready",
    s"the query of ${client.name} did not start; its error is above"
  )

  def requireAlive(): Unit = require(jvm.isAlive, s"the query of ${client.name} ended; its error is above")

  override def close(): Unit = {
    jvm.getOutputStream.close()
    if (!jvm.waitFor(30, TimeUnit.SECONDS)) jvm.destroyForcibly()
    ()
  }
}

private object CopyProcess {

  /** All of its memory from the start: while a heap grows, events wait for a tenth of a second. */
  private val Heap = Seq("-Xms2g", "-Xmx2g", "-XX:+AlwaysPreTouch")
}
