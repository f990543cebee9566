package benchmarks.server

import java.net.URI
import java.net.http.{HttpClient, HttpRequest, HttpResponse}
import java.nio.file.{Files, Path}
import java.util.concurrent.TimeUnit

/**
 * The local hub in a process of its own.
 *
 * @param tls   whether the hub also has a TLS port, like the service
 * @param cloud what the profile `cloud` adds: TLS behind a proxy, and the service's limit of management calls
 * @param heapGigabytes memory for events
 * @param managementLimit requests for properties that the hub answers in a second; None answers all, except in `cloud`
 */
final class HubProcess(
    tls: Boolean = false,
    cloud: Option[Cloud] = None,
    heapGigabytes: Int = 5,
    managementLimit: Option[Int] = None
) extends Server {

  private val ready = Files.createTempDirectory("hub").resolve("ready.json")

  private val jvm = {
    new ProcessBuilder(
      (Seq(
        Path.of(sys.props("java.home"), "bin", "java").toString,
        // All memory from the start: the first use of a page costs the hub's only thread most of its time.
        s"-Xms${heapGigabytes}g",
        s"-Xmx${heapGigabytes}g",
        "-XX:+AlwaysPreTouch",
        "-cp",
        sys.props("java.class.path"),
        "localhub.Main"
      ) ++ (if (tls || cloud.nonEmpty) Seq("--tls-port", "0") else Nil) ++
        cloud.toSeq.flatMap(HubProcess.options) ++
        managementLimit.toSeq.flatMap(limit => Seq("--management-limit", limit.toString)) ++
        Seq("--port", "0", "--http-port", "0", "--ready-file", ready.toString, "--exit-with-stdin")): _*
    ).redirectOutput(ProcessBuilder.Redirect.DISCARD).redirectError(ProcessBuilder.Redirect.INHERIT).start()
  }

  private val ports: ujson.Value = {
    val deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60)
    while (!Files.exists(ready) && jvm.isAlive && System.nanoTime() < deadline) Thread.sleep(10)
    require(Files.exists(ready), "the hub did not start within 60 s; see its error above")
    ujson.read(Files.readString(ready))
  }

  private val http = HttpClient.newHttpClient()

  override def process: ProcessHandle = jvm.toHandle

  override val proxy: Option[DelayProxyProcess] =
    cloud.map(cloud => new DelayProxyProcess(tlsPort, cloud.delayMillis))

  override def clientAddress: String = proxy.fold(address)(proxy => HubProcess.overTls(proxy.port))

  override def address: String =
    s"Endpoint=sb://localhost:${ports("amqpPort").num.toInt};SharedAccessKeyName=RootManageSharedAccessKey;" +
      "SharedAccessKey=SAS_KEY_VALUE;UseDevelopmentEmulator=true"

  def connectionString(hub: String): String = s"$address;EntityPath=$hub"

  override def create(hub: String, partitions: Int): Unit = {
    call("PUT", s"/hubs/$hub?partitions=$partitions")
    ()
  }

  override def delete(hub: String): Unit = {
    call("DELETE", s"/hubs/$hub")
    ()
  }

  override def empty(hub: String): Unit =
    stored(hub).zipWithIndex.foreach { case (end, partition) =>
      call("POST", s"/hubs/$hub/partitions/$partition/expire?before=$end")
    }

  override def stored(hub: String): Seq[Long] =
    ujson.read(call("GET", s"/hubs/$hub"))("partitions").arr.toSeq.map(_("lastSequenceNumber").num.toLong + 1)

  /** Like [[address]], over TLS. Clients treat this hub as the service and observe its limits. */
  def tlsAddress: String = tlsAddress(tlsPort)

  /** Returns the address of a proxy to the hub's TLS port. */
  def tlsAddress(proxyPort: Int): String = HubProcess.overTls(proxyPort)

  def tlsPort: Int = ports("tlsPort").num.toInt

  /** The certificate that TLS clients must trust, as PEM. */
  def certificate: String = call("GET", "/certificate")

  /** Stores one small event in each partition. */
  def oneEach(hub: String, partitions: Int): Unit =
    (0 until partitions).foreach(one(hub, _))

  /** Stores one small event. */
  def one(hub: String, partition: Int): Unit = {
    call("POST", s"/hubs/$hub/events", s"""{"body": "event", "partition": "$partition"}""")
    ()
  }

  /** Starts a fault, as JSON. */
  def fault(json: String): Unit = {
    call("POST", "/faults", json)
    ()
  }

  /** The hub's Prometheus metrics by name, without metrics with labels. */
  def metrics: Map[String, Double] =
    call("GET", "/metrics").linesIterator.filterNot(line => line.startsWith("#") || line.contains('{')).map { line =>
      val space = line.lastIndexOf(' ')
      line.take(space) -> line.drop(space + 1).toDouble
    }.toMap

  /** Bytes of a hub's events, as its metrics count them. */
  def retainedBytes(hub: String): Double =
    call("GET", "/metrics").linesIterator.filter { line =>
      line.startsWith("localhub_partition_retained_bytes{") && line.contains(s"hub=\"$hub\"")
    }.map(line => line.drop(line.lastIndexOf(' ') + 1).toDouble).sum

  override def close(): Unit = {
    proxy.foreach(_.close())
    jvm.destroy()
    jvm.waitFor(10, TimeUnit.SECONDS)
    Files.deleteIfExists(ready)
    Files.deleteIfExists(ready.getParent)
    ()
  }

  private def call(method: String, path: String, body: String = ""): String = {
    val uri = URI.create(s"http://localhost:${ports("httpPort").num.toInt}$path")
    val request = HttpRequest.newBuilder(uri).method(method, HttpRequest.BodyPublishers.ofString(body)).build()
    val answer = http.send(request, HttpResponse.BodyHandlers.ofString())
    require(answer.statusCode < 300, s"$method $path: ${answer.statusCode} ${answer.body}")
    answer.body
  }
}

private object HubProcess {

  /** Requests for properties that the service answers in a second. */
  private val ManagementLimit = 50

  private def options(cloud: Cloud): Seq[String] = Seq(
    "--tls-keystore",
    cloud.certificate.keyStore.toString,
    "--tls-password-file",
    cloud.certificate.passwordFile.toString,
    "--management-limit",
    ManagementLimit.toString
  )

  private def overTls(port: Int): String =
    s"Endpoint=sb://localhost:$port;SharedAccessKeyName=RootManageSharedAccessKey;SharedAccessKey=SAS_KEY_VALUE"
}
