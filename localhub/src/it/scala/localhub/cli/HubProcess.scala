package localhub.cli

import java.nio.file.{Files, Path}
import java.util.concurrent.TimeUnit

import scala.io.Source

/**
 * The program as users run it: another JVM with this test's class path, which starts quickly.
 *
 * @param jvmOptions such as `-Xmx64m`
 * @param limits     a command that sets limits and runs its arguments
 */
final class HubProcess(args: Seq[String], jvmOptions: Seq[String] = Nil, limits: Seq[String] = Nil)
    extends AutoCloseable {

  private val java = Path.of(sys.props("java.home"), "bin", "java").toString
  private val errors = Files.createTempFile("localhub", ".err")
  private val output = Files.createTempFile("localhub", ".out")

  val process: Process =
    new ProcessBuilder(
      limits ++ (java +: "-XX:TieredStopAtLevel=1" +: jvmOptions) ++ Seq(
        "-cp",
        sys.props("java.class.path"),
        "localhub.Main"
      ) ++ args: _*
    )
      .redirectError(errors.toFile).redirectOutput(output.toFile).start()

  def stderr: String = Files.readString(errors)

  def stdout: String = Files.readString(output)

  /** Waits for the end of the process and returns its exit code. */
  def exitCode(): Int = {
    if (!process.waitFor(60, TimeUnit.SECONDS))
      throw new AssertionError(s"still running; stdout: $stdout stderr: $stderr")
    process.exitValue
  }

  override def close(): Unit = {
    process.destroyForcibly().waitFor()
    Seq(errors, output).foreach(Files.deleteIfExists)
  }
}

object HubProcess {

  def get(url: String): String = {
    val source = Source.fromURL(url)
    try source.mkString
    finally source.close()
  }
}
