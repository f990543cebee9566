package benchmarks.harness

import java.io.{BufferedReader, BufferedWriter, InputStreamReader, OutputStreamWriter}
import java.lang.management.ManagementFactory
import java.nio.file.Path
import java.util.concurrent.TimeUnit

import scala.jdk.CollectionConverters._

/**
 * A [[benchmarks.worker.Worker]] and the pipe to it.
 *
 * @param javaOptions   of its JVM, in addition to those that all workers have
 * @param heapMegabytes maximum size of its heap
 */
final class WorkerProcess(contender: Contender, javaOptions: Seq[String] = Nil, heapMegabytes: Int = 2048)
    extends AutoCloseable {

  private val jvm = new ProcessBuilder(
    (Seq(Path.of(sys.props("java.home"), "bin", "java").toString, s"-Xmx${heapMegabytes}m") ++ WorkerProcess.options ++
      javaOptions ++ Seq("-cp", sys.props("java.class.path"), "benchmarks.worker.Worker", contender.argument)): _*
  ).redirectError(ProcessBuilder.Redirect.INHERIT).start()

  private val toWorker = new BufferedWriter(new OutputStreamWriter(jvm.getOutputStream))
  private val fromWorker = new BufferedReader(new InputStreamReader(jvm.getInputStream))
  require(answer() == "ready", s"${contender.name} did not start")

  def process: ProcessHandle = jvm.toHandle

  def run(request: Request): ResourceUsage = {
    toWorker.write(ujson.write(request.json))
    toWorker.newLine()
    toWorker.flush()
    ResourceUsage.parse(ujson.read(answer()))
  }

  override def close(): Unit = {
    toWorker.close()
    if (!jvm.waitFor(20, TimeUnit.SECONDS)) jvm.destroyForcibly()
    ()
  }

  private def answer(): String = Option(fromWorker.readLine()).getOrElse {
    jvm.waitFor(10, TimeUnit.SECONDS)
    throw new IllegalStateException(s"the worker '${contender.name}' ended; its error is above")
  }
}

object WorkerProcess {

  /**
   * The `--add-opens` that Spark needs, as this process has them, and BENCH_JAVA_OPTIONS, for example for a recording.
   * The JVM must print nothing about a recording: standard output is for the worker's answers.
   */
  private def options: Seq[String] =
    Seq(
      "-Xlog:jfr+startup=off"
    ) ++ ManagementFactory.getRuntimeMXBean.getInputArguments.asScala.toSeq.filter(_.startsWith("--add-opens")) ++
      sys.env.get("BENCH_JAVA_OPTIONS").toSeq.flatMap(_.split(' ')).filter(_.nonEmpty)
}
