package localhub

import java.net.http.{HttpClient, HttpRequest, HttpResponse}
import java.net.{InetAddress, ServerSocket, URI}

import scala.util.Using

import org.scalatest.funsuite.AnyFunSuite

class LocalHubSuite extends AnyFunSuite {

  private def started[A](config: LocalHubConfig)(use: LocalHub => A): A = Using.resource(LocalHub.start(config))(use)

  test("the hubs of the configuration are there, with their partitions and groups") {
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

  test("hubs come and go while it runs") {
    started(LocalHubConfig()) { hub =>
      hub.createHub("telemetry", 2)
      assert(intercept[InvalidHubException](hub.createHub("Telemetry", 2)).getMessage.contains("is there already"))
      assert(hub.deleteHub("telemetry") && !hub.deleteHub("telemetry"))
    }
  }

  test("a taken HTTP port is named, and nothing is left running") {
    Using.resource(new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) { taken =>
      val error = intercept[LocalHubException](LocalHub.start(LocalHubConfig(httpPort = taken.getLocalPort)))
      assert(error.getMessage.contains(s"HTTP on 127.0.0.1:${taken.getLocalPort}"))
    }
  }

  test("an address that is not of this machine is refused") {
    val error = intercept[LocalHubException](LocalHub.start(LocalHubConfig(host = "192.0.2.1")))
    assert(error.getMessage.contains("192.0.2.1"))
  }

  test("after close nobody listens, and closing again is fine") {
    val hub = LocalHub.start(LocalHubConfig())
    val health = HttpRequest.newBuilder(URI.create(s"${hub.httpUrl}/health")).build()
    val client = HttpClient.newHttpClient()
    assert(client.send(health, HttpResponse.BodyHandlers.ofString()).statusCode == 200)
    hub.close()
    hub.close()
    intercept[java.io.IOException](client.send(health, HttpResponse.BodyHandlers.ofString()))
  }
}
