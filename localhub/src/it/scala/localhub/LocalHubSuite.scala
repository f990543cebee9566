package localhub

import java.net.http.{HttpClient, HttpRequest, HttpResponse}
import java.net.{InetAddress, ServerSocket, URI}
import java.nio.file.{Files, Path}
import javax.net.ssl.SSLSocket

import scala.jdk.CollectionConverters._
import scala.util.Using

import localhub.log.TempDirectory
import testkit.{Certificates, TestSuite}

class LocalHubSuite extends TestSuite {

  private def started[A](config: LocalHubConfig)(use: LocalHub => A): A = Using.resource(LocalHub.start(config))(use)

  test("the configured hubs exist with their partitions and groups") {
    started(LocalHubConfig(hubs = Seq(HubConfig("telemetry", 4), HubConfig("alerts", 2, Set("audit"))))) { hub =>
      assert(hub.namespace.all.map(each => each.name -> each.partitions.size) == Seq("alerts" -> 2, "telemetry" -> 4))
      assert(hub.namespace.find("alerts").exists(_.hasConsumerGroup("audit")))
    }
  }

  test("a connection string names the port, the emulator flag and the hub") {
    started(LocalHubConfig.defaults().withHub("telemetry", 1)) { hub =>
      val expected = s"Endpoint=sb://localhost:${hub.amqpPort};SharedAccessKeyName=RootManageSharedAccessKey;" +
        "SharedAccessKey=SAS_KEY_VALUE;UseDevelopmentEmulator=true"
      assert(hub.connectionString == expected)
      assert(hub.connectionString("telemetry") == s"$expected;EntityPath=telemetry")
    }
  }

  test("hubs are created and deleted at run time") {
    started(LocalHubConfig()) { hub =>
      hub.createHub("telemetry", 2)
      assert(intercept[InvalidHubException](hub.createHub("Telemetry", 2)).getMessage.contains("already exists"))
      assert(hub.deleteHub("telemetry") && !hub.deleteHub("telemetry"))
    }
  }

  test("limits are changed and removed at run time") {
    started(LocalHubConfig(hubs = Seq(HubConfig("telemetry", 1).withThroughputUnits(1)))) { hub =>
      assert(hub.amqp.throughput.of("telemetry").contains(1))
      val changed = hub.changeLimits("telemetry", Retention(Some(java.time.Duration.ofHours(1))), Some(2))
      assert(changed.config.retention.time.nonEmpty && hub.amqp.throughput.of("telemetry").contains(2))
      assert(hub.changeLimits("telemetry").config == HubConfig("telemetry", 1))
      assert(hub.amqp.throughput.of("telemetry").isEmpty)
      assert(intercept[InvalidHubException](hub.changeLimits("nohub")).getMessage.contains("nohub"))
    }
  }

  private def hubThreads(): Set[Thread] =
    Thread.getAllStackTraces.keySet.asScala.filter(_.getName.startsWith("localhub-")).toSet

  test("the error names a used HTTP port, and nothing keeps running") {
    val before = hubThreads()
    Using.resource(new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) { taken =>
      val error = intercept[LocalHubException](LocalHub.start(LocalHubConfig(httpPort = taken.getLocalPort)))
      assert(error.getMessage.contains(s"HTTP on 127.0.0.1:${taken.getLocalPort}"))
      // The AMQP server was already listening.
      assert((hubThreads() -- before).isEmpty)
    }
  }

  test("an address of another machine is refused") {
    val error = intercept[LocalHubException](LocalHub.start(LocalHubConfig(host = "192.0.2.1")))
    assert(error.getMessage.contains("192.0.2.1"))
  }

  Seq("in memory" -> None, "with a data directory" -> Some(TempDirectory.create())).foreach {
    case (where, directory) =>
      test(s"$where, after close no port listens, and a second close does nothing") {
        val hub = LocalHub.start(LocalHubConfig(dataDir = directory).withHub("telemetry", 1))
        val health = HttpRequest.newBuilder(URI.create(s"${hub.httpUrl}/health")).build()
        val client = HttpClient.newHttpClient()
        assert(client.send(health, HttpResponse.BodyHandlers.ofString()).statusCode == 200)
        hub.close()
        hub.close()
        intercept[java.io.IOException](client.send(health, HttpResponse.BodyHandlers.ofString()))
      }
  }

  test("with TLS the hub has a TLS port, a certificate and a connection string") {
    started(LocalHubConfig.defaults().withHub("telemetry", 1).withTls(TlsConfig())) { hub =>
      val certificate = Certificates.parse(hub.certificatePem.get)
      assert(hub.tlsConnectionString.exists(text =>
        text.contains(s":${hub.tlsPort.get};") && !text.contains("Emulator")
      ))
      val context = Certificates.trusting(certificate)
      Using.resource(context.getSocketFactory.createSocket("localhost", hub.tlsPort.get).asInstanceOf[SSLSocket]) {
        socket =>
          socket.startHandshake()
          assert(socket.getSession.getPeerCertificates.head == certificate)
      }
      val served = HttpRequest.newBuilder(URI.create(s"${hub.httpUrl}/certificate")).build()
      assert(HttpClient.newHttpClient().send(
        served,
        HttpResponse.BodyHandlers.ofString()
      ).body == hub.certificatePem.get)
    }
  }

  test("the error names an unusable key store") {
    val tls = TlsConfig(0, Some(KeyStoreFile(Path.of("/nowhere/store.p12"), "secret")))
    val error = intercept[LocalHubException](LocalHub.start(LocalHubConfig(tls = Some(tls))))
    assert(error.getMessage.contains("/nowhere/store.p12") && !error.getMessage.contains(
      "secret"
    ) && !tls.toString.contains("secret"))
  }

  test("the error names a used AMQP port") {
    Using.resource(new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) { taken =>
      val error = intercept[LocalHubException](LocalHub.start(LocalHubConfig(amqpPort = taken.getLocalPort)))
      assert(error.getMessage.contains(s"AMQP on 127.0.0.1:${taken.getLocalPort}"))
    }
  }

  test("the AMQP server applies each hub's throughput units, from the start and after a change") {
    started(LocalHubConfig(hubs = Seq(HubConfig("limited", 1, throughputUnits = Some(2)), HubConfig("free", 1)))) {
      hub =>
        assert(hub.amqp.throughput.of("limited").contains(2) && hub.amqp.throughput.of("free").isEmpty)
        hub.namespace.ensure(HubConfig("free", 1, throughputUnits = Some(1)))
        assert(hub.amqp.throughput.of("free").contains(1))
        hub.recreateHub("limited")
        assert(hub.amqp.throughput.of("limited").contains(2))
        hub.deleteHub("limited")
        hub.createHub("limited", 1)
        assert(hub.amqp.throughput.of("limited").isEmpty)
    }
  }

  test("a generated certificate is kept in the data directory, and a file that is none is named") {
    val directory = TempDirectory.create()
    val config = LocalHubConfig(dataDir = Some(directory), tls = Some(TlsConfig()))
    val first = started(config)(_.certificatePem)
    assert(started(config)(_.certificatePem) == first)
    val file = Files.writeString(directory.resolve("tls.p12"), "no key store")
    val error = intercept[LocalHubException](LocalHub.start(config))
    assert(error.getMessage.startsWith(s"The key store $file cannot be used. Remove it for a new certificate:"))
  }
}
