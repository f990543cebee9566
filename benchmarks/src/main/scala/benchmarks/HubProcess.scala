package benchmarks

import java.nio.file.{Files, Path}
import java.util.concurrent.TimeUnit

/** The local hub in a JVM of its own, so that its CPU time is not counted as the client's. */
final class HubProcess(hubs: Seq[(String, Int)]) extends AutoCloseable {

  private val ready = Files.createTempDirectory("hub").resolve("ready.json")

  private val process = {
    val java = Path.of(sys.props("java.home"), "bin", "java").toString
    val arguments = hubs.flatMap { case (name, partitions) => Seq("--hub", s"$name:$partitions") }
    new ProcessBuilder(
      (Seq(java, "-Xmx6g", "-cp", sys.props("java.class.path"), "localhub.Main") ++ arguments ++
        Seq("--port", "0", "--http-port", "0", "--ready-file", ready.toString, "--exit-with-stdin")): _*
    ).redirectOutput(ProcessBuilder.Redirect.DISCARD).redirectError(ProcessBuilder.Redirect.INHERIT).start()
  }

  private val port: Int = {
    val deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60)
    while (!Files.exists(ready) && process.isAlive && System.nanoTime() < deadline) Thread.onSpinWait()
    require(Files.exists(ready), "the hub did not start within 60 s")
    "\"amqpPort\":\\s*(\\d+)".r.findFirstMatchIn(Files.readString(ready)).get.group(1).toInt
  }

  def connectionString(hub: String): String =
    s"Endpoint=sb://localhost:$port;SharedAccessKeyName=RootManageSharedAccessKey;SharedAccessKey=SAS_KEY_VALUE;" +
      s"UseDevelopmentEmulator=true;EntityPath=$hub"

  /** CPU time that the hub has used so far. */
  def cpuNanos: Long = process.toHandle.info.totalCpuDuration.map[Long](_.toNanos).orElse(0L)

  override def close(): Unit = {
    process.destroy()
    process.waitFor(10, TimeUnit.SECONDS)
    ()
  }
}
