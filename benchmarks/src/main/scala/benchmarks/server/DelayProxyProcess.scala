package benchmarks.server

import java.io.{BufferedReader, InputStreamReader}
import java.nio.file.Path
import java.util.concurrent.TimeUnit

/** A [[DelayProxy]] in a process of its own, so that its CPU time counts as nobody's. */
final class DelayProxyProcess(target: Int, delayMillis: Double) extends AutoCloseable {

  private val jvm = new ProcessBuilder(
    Path.of(sys.props("java.home"), "bin", "java").toString,
    "-XX:MaxDirectMemorySize=4g",
    "-cp",
    sys.props("java.class.path"),
    "benchmarks.server.DelayProxyMain",
    target.toString,
    delayMillis.toString
  ).redirectError(ProcessBuilder.Redirect.INHERIT).start()

  val port: Int = Option(new BufferedReader(new InputStreamReader(jvm.getInputStream)).readLine()).getOrElse(
    throw new IllegalStateException("the proxy did not start; its error is above")
  ).toInt

  def process: ProcessHandle = jvm.toHandle

  override def close(): Unit = {
    jvm.getOutputStream.close()
    if (!jvm.waitFor(10, TimeUnit.SECONDS)) jvm.destroyForcibly()
    ()
  }
}
