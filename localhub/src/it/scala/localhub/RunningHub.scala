package localhub

import java.nio.file.{Files, Path}
import java.time.Duration

import com.azure.core.amqp.AmqpRetryOptions
import com.azure.messaging.eventhubs.EventHubClientBuilder

import localhub.cli.HubProcess
import localhub.http.TestClient
import localhub.log.TempDirectory
import testkit.Eventually.eventually

/** The program in its own JVM, started, with one hub `telemetry`. */
final class RunningHub(partitions: Int, data: Option[Path] = None, heap: String = "512m") extends AutoCloseable {

  private val ready = TempDirectory.create().resolve("ready.json")

  val program = new HubProcess(
    Seq("--hub", s"telemetry:$partitions", "--port", "0", "--http-port", "0", "--ready-file", ready.toString) ++
      data.toSeq.flatMap(directory => Seq("--data-dir", directory.toString)),
    Seq(s"-Xmx$heap")
  )

  private val ports = {
    eventually(s"the program is ready: ${program.stderr}")(Files.exists(ready))
    ujson.read(Files.readString(ready))
  }

  val amqpPort: Int = ports("amqpPort").num.toInt

  val httpPort: Int = ports("httpPort").num.toInt

  /** A builder of clients of the official SDK that do not retry. */
  def sdk: EventHubClientBuilder =
    new EventHubClientBuilder()
      .connectionString(
        s"Endpoint=sb://localhost:$amqpPort;SharedAccessKeyName=RootManageSharedAccessKey;" +
          "SharedAccessKey=SAS_KEY_VALUE;UseDevelopmentEmulator=true;EntityPath=telemetry"
      )
      .consumerGroup("$Default")
      .retryOptions(new AmqpRetryOptions().setMaxRetries(0).setTryTimeout(Duration.ofMinutes(1)))

  /** The value of a metric without labels. */
  def metric(name: String): Long = {
    val lines = new TestClient(httpPort).call("GET", "/metrics").body.linesIterator
    lines.collectFirst { case line if line.startsWith(s"$name ") => line.split(' ')(1).toDouble.toLong }.get
  }

  /** Used heap after a collection, in MB. */
  def liveHeapMb(): Long = {
    val jcmd = Path.of(sys.props("java.home"), "bin", "jcmd").toString
    new ProcessBuilder(jcmd, program.process.pid.toString, "GC.run").start().waitFor()
    metric("localhub_heap_used_bytes") >> 20
  }

  def kill(): Unit = { program.process.destroyForcibly().waitFor(); () }

  override def close(): Unit = program.close()
}
