package localhub.cli

import java.net.{HttpURLConnection, InetAddress, ServerSocket, URI}
import java.nio.file.{Files, Path}
import java.util.{Map => JavaMap}

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.qpid.proton.amqp.messaging.{AmqpValue, ApplicationProperties}
import org.apache.qpid.proton.message.Message

import localhub.amqp.FrameClient
import testkit.TestSuite

/** The program in its own process. */
class MainSuite extends TestSuite {

  private val directory = Files.createTempDirectory("localhub-main")

  private def run[A](args: String*)(use: HubProcess => A): A = Using.resource(new HubProcess(args))(use)

  private def ready(file: Path): ujson.Value = eventually(ujson.read(Files.readString(file)))

  test("the ready file has the ports and the process id once both ports listen") {
    val file = directory.resolve("ready.json")
    run("--hub", "telemetry:4", "--port", "0", "--http-port", "0", "--ready-file", file.toString) { hub =>
      val content = ready(file)
      assert(content("pid").num.toLong == hub.process.pid)
      assert(HubProcess.get(s"http://127.0.0.1:${content("httpPort").num.toInt}/hubs").contains("\"telemetry\""))
      assert(Files.list(directory).filter(_.toString.endsWith(".tmp")).count == 0)
    }
  }

  test("the banner has the connection string of every hub") {
    run("--hub", "telemetry:4", "--hub", "alerts:2:audit", "--port", "0", "--http-port", "0") { hub =>
      eventually {
        assert(hub.stdout.contains("Ctrl-C"))
      }
      assert(hub.stdout.contains("EntityPath=telemetry") && hub.stdout.contains("EntityPath=alerts"))
      assert(hub.stdout.contains("audit"))
      assert(hub.stdout.contains(", in a browser the Data Explorer"))
    }
  }

  test("with --authority-port an authority runs, whose address is in the ready file and the banner") {
    val file = directory.resolve("authority.json")
    val config = Files.writeString(
      directory.resolve("applications.json"),
      """{"applications": [{"name": "pipeline", "clientId": "id", "secrets": ["hidden"], "roles": ["Data Owner"]}]}"""
    )
    val ports = Seq("--port", "0", "--http-port", "0", "--authority-port", "0")
    run(ports ++ Seq("--authority-config", config.toString, "--ready-file", file.toString): _*) { hub =>
      val content = ready(file)
      val url = content("authorityUrl").str
      val http = s"http://127.0.0.1:${content("httpPort").num.toInt}"
      assert(ujson.read(HubProcess.get(s"$http/authority"))("url").str == url)
      assert(HubProcess.get(s"$http/authority/applications").contains("Azure Event Hubs Data Owner"))
      eventually(assert(hub.stdout.contains("Ctrl-C")))
      assert(hub.stdout.contains(s"Entra   $url, tenant ") && hub.stdout.contains("certificate in "))
      assert(!hub.stdout.contains("hidden") && hub.stderr.isEmpty)
    }
  }

  test("a refused token leaves a line in the log") {
    val file = directory.resolve("refused.json")
    run("--port", "0", "--http-port", "0", "--ready-file", file.toString) { hub =>
      val list = s"http://127.0.0.1:${ready(file)("amqpPort").num.toInt}/$$Resources/Eventhubs"
      val request = URI.create(list).toURL.openConnection().asInstanceOf[HttpURLConnection]
      request.setRequestProperty("Authorization", "SharedAccessSignature sr=x&sig=c2VjcmV0&se=1&skn=nobody")
      assert(request.getResponseCode == 401)
      eventually(assert(hub.stderr.contains("is refused") && !hub.stderr.contains("c2VjcmV0")))
    }
  }

  test("a refused token of a management request, and a request that is no message, leave lines in the log") {
    val file = directory.resolve("requests.json")
    run("--hub", "telemetry:4", "--port", "0", "--http-port", "0", "--ready-file", file.toString) { hub =>
      Using.resource(new FrameClient(ready(file)("amqpPort").num.toInt)) { client =>
        client.open()
        client.attachSender("$" + "management", handle = 0, name = "out")
        client.attachReceiver("$" + "management", handle = 1, name = "in")
        client.flow(10, handle = 1)
        client.transfer(0, question("SharedAccessSignature sr=telemetry&sig=c2VjcmV0&se=1&skn=nobody"))
        eventually(assert(hub.stderr.contains("A token for 'telemetry' on connection ")))
        assert(!hub.stderr.contains("c2VjcmV0"))
        client.transfer(1, Array[Byte](1, 2, 3))
        eventually(assert(hub.stderr.contains("is refused: it is no AMQP message")))
      }
    }
  }

  private def question(token: String): Array[Byte] = {
    val properties = Map[String, AnyRef](
      "operation" -> "READ",
      "name" -> "telemetry",
      "type" -> "com.microsoft:eventhub",
      "security_token" -> token
    )
    val request = Message.Factory.create()
    request.setReplyTo("in")
    request.setApplicationProperties(new ApplicationProperties(properties.asJava.asInstanceOf[JavaMap[String, Object]]))
    request.setBody(new AmqpValue(""))
    val buffer = new Array[Byte](10000)
    java.util.Arrays.copyOf(buffer, request.encode(buffer, 0, buffer.length))
  }

  test("with --exit-with-stdin it ends when its standard input ends") {
    val file = directory.resolve("stdin.json")
    run("--port", "0", "--http-port", "0", "--exit-with-stdin", "--ready-file", file.toString) { hub =>
      ready(file)
      assert(hub.process.isAlive)
      hub.process.getOutputStream.close()
      assert(hub.exitCode() == 0)
    }
  }

  test("SIGTERM ends it, without an error on stderr") {
    val file = directory.resolve("sigterm.json")
    run("--port", "0", "--http-port", "0", "--ready-file", file.toString) { hub =>
      ready(file)
      hub.process.destroy()
      assert(hub.exitCode() == 143 && hub.stderr.isEmpty)
    }
  }

  test("a used port causes one line on stderr and exit code 2") {
    Using.resource(new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) { taken =>
      run("--port", "0", "--http-port", taken.getLocalPort.toString) { hub =>
        assert(hub.exitCode() == 2)
        assert(hub.stderr.linesIterator.size == 1 && hub.stderr.contains(s"127.0.0.1:${taken.getLocalPort}"))
      }
    }
  }

  test("a wrong argument causes one line on stderr and exit code 2") {
    run("--hub", "telemetry:many") { hub =>
      assert(hub.exitCode() == 2)
      assert(hub.stderr.linesIterator.size == 1 && hub.stderr.contains("telemetry:many"))
    }
  }

  test("--help is printed on stdout with exit code 0") {
    run("--help") { hub =>
      assert(hub.exitCode() == 0 && hub.stdout.contains("--data-dir"))
    }
  }

  test("on a full disk the hub is not healthy, and says so in its own words") {
    val file = directory.resolve("full.json")
    val data = directory.resolve("full")
    val arguments =
      Seq("--hub", "telemetry:1", "--port", "0", "--http-port", "0", "--data-dir", data.toString, "--ready-file")
    // The shell's limit on file sizes, in KB, acts as a full disk.
    val full = Seq("bash", "-c", "ulimit -f 500; exec \"$@\"", "bash")
    Using.resource(new HubProcess(arguments :+ file.toString, limits = full)) { _ =>
      val health = URI.create(s"http://127.0.0.1:${ready(file)("httpPort").num.toInt}/health").toURL.openConnection()
        .asInstanceOf[HttpURLConnection]
      assert(health.getResponseCode == 503)
      val answer = new String(health.getErrorStream.readAllBytes())
      assert(ujson.read(answer)("message").str == s"Nothing can be stored in $data: File too large.")
    }
    assert(!Files.exists(data.resolve(".probe")))
  }

  test("with a data directory, hubs and their settings survive kill -9") {
    val file = directory.resolve("kept.json")
    val data = directory.resolve("data")
    val usual = Seq("--port", "0", "--http-port", "0", "--data-dir", data.toString, "--ready-file", file.toString)
    run(("--hub" +: "telemetry:4" +: usual): _*) { hub =>
      ready(file)
      hub.process.destroyForcibly().waitFor()
    }
    Files.delete(file)
    run(usual: _*) { hub =>
      assert(HubProcess.get(s"http://127.0.0.1:${ready(file)("httpPort").num.toInt}/hubs").contains("\"telemetry\""))
      run(usual: _*) { second =>
        assert(second.exitCode() == 2 && second.stderr.contains("in use by another local hub"))
      }
      hub.process.destroy()
    }
    run(("--hub" +: "telemetry:2" +: usual): _*) { hub =>
      assert(hub.exitCode() == 2)
      assert(hub.stderr.linesIterator.size == 1 && hub.stderr.contains("'telemetry' has 4 partitions"))
    }
  }
}
