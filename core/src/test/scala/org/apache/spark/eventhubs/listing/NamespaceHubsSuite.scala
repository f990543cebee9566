package org.apache.spark.eventhubs.listing

import java.net.{InetAddress, InetSocketAddress, URLDecoder}
import java.nio.charset.StandardCharsets.UTF_8
import java.util.concurrent.ConcurrentLinkedQueue

import scala.jdk.CollectionConverters._

import com.sun.net.httpserver.{HttpExchange, HttpServer}

import org.apache.spark.eventhubs.EventHubsException
import org.apache.spark.eventhubs.options.{ConnectionSettings, ReadMode, ReadSettings}
import org.apache.spark.eventhubs.rest.NamespaceAddress
import testkit.TestSuite

private final case class Answer(status: Int, body: String)

/** The list of a namespace's hubs, from a server that answers as a test says. */
class NamespaceHubsSuite extends TestSuite {

  private def feed(names: String*): Answer = linkedFeed("self")(names: _*)

  /** A page with links of these kinds. */
  private def linkedFeed(kinds: String*)(names: String*): Answer = {
    val content = "<link rel=\"next\" href=\"other\"/><content><title>x</title></content>"
    val entries = names.map(name => s"""<entry><title type="text">$name</title>$content</entry>""")
    val links = kinds.map(kind => s"""<link rel="$kind" href="https://localhost/feed?%24skip=2&amp;%24top=2"/>""")
    val start = "<feed xmlns=\"http://www.w3.org/2005/Atom\"><title>Eventhubs</title>"
    Answer(200, (links ++ entries).mkString(start, "", "</feed>"))
  }

  private def queries(requests: ConcurrentLinkedQueue[HttpExchange]): Seq[String] =
    requests.asScala.toSeq.map(_.getRequestURI.getQuery.replaceFirst(".*&\\$skip", "\\$skip"))

  private def settings(port: Int, more: (String, String)*): ConnectionSettings = ReadSettings.parse(
    Map(
      "eventhubs.connectionString" -> (s"Endpoint=sb://localhost:$port;SharedAccessKeyName=p;SharedAccessKey=k;" +
        "UseDevelopmentEmulator=true"),
      "eventhubs.namePattern" -> "orders-.*"
    ) ++ more,
    ReadMode.Batch
  ).connection

  /** Serves the answers in order, the last one again and again. */
  private def served(answers: Answer*)(test: (
      ConnectionSettings,
      ConcurrentLinkedQueue[HttpExchange]
  ) => Unit): Unit = {
    val server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress, 0), 0)
    val requests = new ConcurrentLinkedQueue[HttpExchange]
    server.createContext(
      "/",
      { exchange: HttpExchange =>
        requests.add(exchange)
        val answer = answers(math.min(requests.size, answers.size) - 1)
        val body = answer.body.getBytes(UTF_8)
        exchange.sendResponseHeaders(answer.status, if (body.isEmpty) -1 else body.length.toLong)
        exchange.getResponseBody.write(body)
        exchange.close()
      }
    )
    server.start()
    try test(settings(server.getAddress.getPort), requests)
    finally server.stop(0)
  }

  private def failure(connection: ConnectionSettings): EventHubsException =
    intercept[EventHubsException](new NamespaceHubs(connection).names())

  test("a full page without a next link is asked on, with a token of the namespace") {
    val (first, second) = ((1 to 100).map(n => s"orders-$n"), Seq("returns", "Orders-1"))
    served(feed(first: _*), feed(second: _*)) { (connection, requests) =>
      assert(new NamespaceHubs(connection).names() == first :+ "returns")
      assert(queries(requests) == Seq("$skip=0&$top=100", "$skip=100&$top=100"))
      val token = requests.peek.getRequestHeaders.getFirst("Authorization")
      assert(URLDecoder.decode(token, UTF_8.name).startsWith("SharedAccessSignature sr=https://localhost/&sig="))
    }
  }

  test("a short page with a next link is followed, and one without ends the list") {
    def linked(names: String*): Answer = linkedFeed("self", "next")(names: _*)
    served(linked("orders-1", "orders-2"), linked("orders-3"), feed("orders-4")) { (connection, requests) =>
      assert(new NamespaceHubs(connection).names() == (1 to 4).map(n => s"orders-$n"))
      assert(queries(requests) == Seq("$skip=0&$top=100", "$skip=2&$top=100", "$skip=3&$top=100"))
    }
  }

  test("a page that brings no new name ends the list, also with a next link") {
    for (last <- Seq(linkedFeed("next")("Orders-1"), linkedFeed("next")()))
      served(linkedFeed("next")("orders-1"), last) { (connection, requests) =>
        assert(new NamespaceHubs(connection).names() == Seq("orders-1"))
        assert(requests.size == 2)
      }
  }

  test("a server that repeats its first page ends the list") {
    val all = (1 to 100).map(n => s"orders-$n")
    served(feed(all: _*)) { (connection, requests) =>
      assert(new NamespaceHubs(connection).names() == all)
      assert(requests.size == 2)
    }
  }

  test("a busy service is asked again") {
    served(Answer(503, ""), feed("orders-1")) { (connection, _) =>
      assert(new NamespaceHubs(connection).names() == Seq("orders-1"))
    }
  }

  test("a missing right is named, without the service's tracking id, and asked for once") {
    val detail = "Manage,EntityRead claims required for this operation. TrackingId:1f, Timestamp:2026"
    served(Answer(401, s"<Error><Code>401</Code><Detail>$detail</Detail></Error>")) { (connection, requests) =>
      val refused = failure(connection)
      assert(refused.getCondition == "EVENTHUBS_HUB_LIST.AUTHENTICATION" && requests.size == 1)
      assert(refused.getMessage.contains("(status 401: Manage,EntityRead claims required for this operation.)"))
      assert(refused.getMessage.contains("list the names in 'eventhubs.name'"))
    }
  }

  test("an answer of something else, and no answer, are named") {
    for (other <- Seq(Answer(200, "<html/>"), Answer(200, "hello"), Answer(404, "")))
      served(other)((connection, _) => assert(failure(connection).getCondition == "EVENTHUBS_HUB_LIST.SERVICE", other))
    val free = new java.net.ServerSocket(0)
    val port = free.getLocalPort
    free.close()
    val unreachable = failure(settings(port, "eventhubs.retry.maxRetries" -> "0"))
    assert(unreachable.getCondition == "EVENTHUBS_HUB_LIST.UNREACHABLE")
    assert(unreachable.getMessageParameters.get("address") == s"http://localhost:$port")
  }

  test("the list of Azure comes over port 443, also through an endpoint that is for AMQP") {
    def address(endpoint: String, more: (String, String)*): String = NamespaceAddress.of(ReadSettings.parse(
      Map(
        "eventhubs.connectionString" -> s"Endpoint=sb://$endpoint;SharedAccessKeyName=p;SharedAccessKey=k",
        "eventhubs.namePattern" -> ".*"
      ) ++ more,
      ReadMode.Batch
    ).connection)
    val azure = "contoso.servicebus.windows.net"
    assert(address(azure) == s"https://$azure:443")
    assert(address(s"$azure:5671") == s"https://$azure:443")
    assert(address(azure, "eventhubs.customEndpoint" -> "gate.contoso.com:5671") == "https://gate.contoso.com:443")
    assert(address(azure, "eventhubs.customEndpoint" -> "gate.contoso.com:8443") == "https://gate.contoso.com:8443")
  }
}
