package org.apache.spark.sql.eventhubs.sink

import com.azure.messaging.eventhubs.{EventData, EventHubClientBuilder}

import org.apache.spark.eventhubs.EventHubsException
import org.apache.spark.eventhubs.connection.{
  AzureEventHubsClient,
  BasicSignIn,
  ConnectProxy,
  DigestSignIn,
  HttpProxyVariable,
  SignInRule
}
import org.apache.spark.eventhubs.options.{ReadMode, ReadSettings}
import testkit.TestSuite

/** AMQP over WebSockets through HTTP proxies. */
class ProxySuite extends TestSuite with SecureHubFixture {

  private val webSockets = "eventhubs.transport" -> "amqpWebSockets"

  private def overWebSockets(more: (String, String)*) =
    spark.read.format("eventhubs").options(Map("eventhubs.connectionString" -> overTls, webSockets) ++ more).load()

  private def withProxy(signIn: Option[SignInRule] = None, closes: Boolean = false)(
      test: ConnectProxy => Unit
  ): Unit = {
    secure.recreateHub("telemetry")
    val producer = new EventHubClientBuilder().connectionString(secure.connectionString("telemetry"))
      .buildProducerClient()
    producer.send(java.util.List.of(new EventData("event")))
    producer.close()
    val proxy = new ConnectProxy(signIn, closes = closes)
    try test(proxy)
    finally proxy.close()
  }

  test("WebSockets through the proxy that HTTP_PROXY names as a URL, but not to a host in NO_PROXY") {
    withProxy() { proxy =>
      val url = "HTTP_PROXY" -> s"http://127.0.0.1:${proxy.port}"
      HttpProxyVariable.setAll(url) {
        // Time-outs that no other test has, so that no open connection is used.
        assert(bodiesOf(overWebSockets("eventhubs.operationTimeout" -> "59s").collect().toSeq) == Seq("event"))
        assert(proxy.tunnels.size > 1 && proxy.tunnels.forall(_ == s"localhost:${secure.tlsPort.getOrElse(0)}"))
      }
      val before = proxy.tunnels.size
      HttpProxyVariable.setAll(url, "NO_PROXY" -> "localhost") {
        assert(bodiesOf(overWebSockets("eventhubs.operationTimeout" -> "61s").collect().toSeq) == Seq("event"))
      }
      assert(proxy.tunnels.size == before)
    }
  }

  private def address(proxy: ConnectProxy) = "eventhubs.proxy.address" -> s"127.0.0.1:${proxy.port}"

  private val ann = Seq("eventhubs.proxy.username" -> "ann", "eventhubs.proxy.password" -> "s3cret")
  private val digest = "eventhubs.proxy.authentication" -> "digest"

  test("WebSockets through a proxy that wants a user name and a password") {
    withProxy(signIn = Some(BasicSignIn("ann:s3cret"))) { proxy =>
      val frame = overWebSockets(address(proxy) +: ann: _*)
      assert(bodiesOf(frame.collect().toSeq) == Seq("event"))
      assert(!frame.queryExecution.toString.contains("s3cret"))
    }
  }

  test("WebSockets through a proxy that wants HTTP's Digest scheme") {
    withProxy(signIn = Some(DigestSignIn("ann", "s3cret"))) { proxy =>
      assert(bodiesOf(overWebSockets(address(proxy) +: digest +: ann: _*).collect().toSeq) == Seq("event"))
      assert(proxy.tunnels.nonEmpty)
    }
  }

  Seq("Basic" -> (BasicSignIn("ann:s3cret"), Nil), "Digest" -> (DigestSignIn("ann", "s3cret"), Seq(digest))).foreach {
    case (scheme, (rule, more)) =>
      test(s"WebSockets through a proxy that closes the connection on which it asks for the $scheme sign-in") {
        withProxy(signIn = Some(rule), closes = true) { proxy =>
          assert(bodiesOf(overWebSockets(address(proxy) +: (ann ++ more): _*).collect().toSeq) == Seq("event"))
          assert(proxy.tunnels.nonEmpty)
        }
      }
  }

  /** How a question about the hub fails in an executor, which does not probe the proxy first. */
  private def refusal(proxy: ConnectProxy, more: (String, String)*): EventHubsException = {
    val options = Map(
      "eventhubs.connectionString" -> overTls,
      "eventhubs.operationTimeout" -> "10s",
      webSockets,
      address(proxy)
    ) ++ more
    val client = new AzureEventHubsClient(ReadSettings.parse(options, ReadMode.Stream).connection)
    try intercept[EventHubsException](client.hubProperties())
    finally client.close()
  }

  private def assertNamesProxy(refused: EventHubsException, proxy: ConnectProxy, said: String): Unit = {
    assert(refused.getCondition == "EVENTHUBS_PROXY" && refused.getMessage.contains(s"127.0.0.1:${proxy.port}"))
    assert(refused.getMessage.contains(said))
    ()
  }

  test("an executor whose proxy refuses the sign-in fails with the proxy's name") {
    withProxy(signIn = Some(BasicSignIn("ann:s3cret")))(proxy => assertNamesProxy(refusal(proxy), proxy, "407"))
  }

  test("a wrong password with the Digest scheme opens no connection, and is not shown") {
    withProxy(signIn = Some(DigestSignIn("ann", "another"))) { proxy =>
      val refused = refusal(proxy, ann :+ digest: _*)
      assertNamesProxy(refused, proxy, "407")
      assert(proxy.tunnels.isEmpty && !refused.getMessage.contains("s3cret"))
    }
  }

  test("a sign-in for a proxy that asks for none is an error that says so: the SDK closes such a connection") {
    withProxy()(proxy => assertNamesProxy(refusal(proxy, ann: _*), proxy, "asks for no sign-in"))
  }
}
