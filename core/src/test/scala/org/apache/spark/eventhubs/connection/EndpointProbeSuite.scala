package org.apache.spark.eventhubs.connection

import java.io.IOException
import java.net.{InetAddress, InetSocketAddress, Proxy, ProxySelector, ServerSocket, SocketAddress, URI}
import java.util.{Collections, List => JavaList}

import org.apache.spark.eventhubs.EventHubsException
import org.apache.spark.eventhubs.options.{ReadMode, ReadSettings}
import testkit.TestSuite

class EndpointProbeSuite extends TestSuite {

  /** Probes a namespace whose name cannot be resolved here, as behind many proxies. */
  private def probe(transport: String, more: (String, String)*): Unit = {
    val connectionString =
      "Endpoint=sb://contoso.invalid/;SharedAccessKeyName=reader;SharedAccessKey=a2V5;EntityPath=telemetry"
    val options = Map("eventhubs.connectionString" -> connectionString, "eventhubs.transport" -> transport) ++ more
    EndpointProbe.check(ReadSettings.parse(options, ReadMode.Stream).connection)
  }

  private def refusal(transport: String, more: (String, String)*): EventHubsException =
    intercept[EventHubsException](probe(transport, more: _*))

  private def assertUnreachable(transport: String): Unit = {
    assert(refusal(transport).getCondition == "EVENTHUBS_UNREACHABLE")
    ()
  }

  private def assertProxyRefuses(expected: String*)(more: (String, String)*): Unit = {
    val refused = refusal("amqpWebSockets", more: _*)
    assert(refused.getCondition == "EVENTHUBS_PROXY")
    expected.foreach(text => assert(refused.getMessage.contains(text)))
  }

  private def proxied(signIn: Option[SignInRule] = None)(test: ConnectProxy => Unit): Unit = {
    val service = new ServerSocket(0, 50, InetAddress.getLoopbackAddress)
    // Speaks no TLS, which is no problem of its certificate.
    ProxyThread.start(while (true) service.accept().close())
    val proxy = new ConnectProxy(signIn, always = Some(service.getLocalPort))
    try test(proxy)
    finally {
      proxy.close()
      service.close()
    }
  }

  private def withProxy(proxy: Proxy)(test: => Unit): Unit = {
    val before = ProxySelector.getDefault
    ProxySelector.setDefault(new ProxySelector {
      override def select(uri: URI): JavaList[Proxy] =
        Collections.singletonList(if (uri == URI.create("https://contoso.invalid:443")) proxy else Proxy.NO_PROXY)
      override def connectFailed(uri: URI, address: SocketAddress, failure: IOException): Unit = ()
    })
    try test
    finally ProxySelector.setDefault(before)
  }

  private val websockets = "amqpWebSockets"

  test("the advice fits the namespace: a local hub must run, a service needs its ports open") {
    val closed = new ServerSocket(0, 50, InetAddress.getLoopbackAddress)
    val local = s"Endpoint=sb://localhost:${closed.getLocalPort}/;SharedAccessKeyName=a;SharedAccessKey=a2V5;" +
      "EntityPath=telemetry;UseDevelopmentEmulator=true"
    closed.close()
    val advice = refusal("amqp", "eventhubs.connectionString" -> local).getMessage
    assert(advice.contains("Start the local hub, or check its port") && !advice.contains("5671"))
    assert(refusal("amqp").getMessage.contains("AMQP on port 5671"))
  }

  test("an unreachable namespace fails at once") {
    Seq("amqp", websockets).foreach { transport =>
      assertUnreachable(transport)
      withProxy(Proxy.NO_PROXY)(assertUnreachable(transport))
    }
  }

  test("behind a proxy the proxy is asked for the namespace: of the JVM, of the environment, of the options") {
    proxied() { proxy =>
      val address = InetSocketAddress.createUnresolved("127.0.0.1", proxy.port)
      withProxy(new Proxy(Proxy.Type.HTTP, address)) {
        probe(websockets)
        assertUnreachable("amqp")
      }
      Seq(s"127.0.0.1:${proxy.port}", s"http://127.0.0.1:${proxy.port}", s"http://127.0.0.1:${proxy.port}/").foreach {
        value =>
          HttpProxyVariable.set(value)(probe(websockets))
          HttpProxyVariable.setAll("HTTPS_PROXY" -> value, "HTTP_PROXY" -> "127.0.0.1:1")(probe(websockets))
      }
      probe(websockets, "eventhubs.proxy.address" -> s"127.0.0.1:${proxy.port}")
      HttpProxyVariable.set("127.0.0.1:1")(
        probe(websockets, "eventhubs.proxy.address" -> s"http://127.0.0.1:${proxy.port}")
      )
      assert(proxy.tunnels.size == 9 && proxy.tunnels.forall(_ == "contoso.invalid:443"))
    }
  }

  test("NO_PROXY excepts a host, a domain, or all") {
    proxied() { proxy =>
      Seq("contoso.invalid", "CONTOSO.invalid:443", ".invalid", "*.invalid", "other.com, invalid", "*").foreach {
        exceptions =>
          HttpProxyVariable.setAll("HTTP_PROXY" -> s"http://127.0.0.1:${proxy.port}", "NO_PROXY" -> exceptions)(
            assertUnreachable(websockets)
          )
      }
      assert(proxy.tunnels.isEmpty)
      Seq("toso.invalid", "contoso.invalid:8443", "contoso", ",").foreach { others =>
        HttpProxyVariable.setAll("HTTP_PROXY" -> s"http://127.0.0.1:${proxy.port}", "NO_PROXY" -> others)(
          probe(websockets)
        )
      }
    }
  }

  test("a proxy that wants a sign-in is named; options, environment and address can have it") {
    proxied(signIn = Some(BasicSignIn("ann:s3:cret"))) { proxy =>
      val url = s"http://127.0.0.1:${proxy.port}"
      val address = "eventhubs.proxy.address" -> s"127.0.0.1:${proxy.port}"
      assertProxyRefuses(s"127.0.0.1:${proxy.port}", "407", "eventhubs.proxy.username")(address)
      HttpProxyVariable.set(url)(assertProxyRefuses(s"127.0.0.1:${proxy.port}", "HTTP_PROXY", "407")())
      val signIn = Seq("eventhubs.proxy.username" -> "ann", "eventhubs.proxy.password" -> "s3:cret")
      probe(websockets, address +: signIn: _*)
      HttpProxyVariable.set(url)(probe(websockets, signIn: _*))
      HttpProxyVariable.setAll("HTTP_PROXY" -> url, "PROXY_USERNAME" -> "ann", "PROXY_PASSWORD" -> "s3:cret")(
        probe(websockets)
      )
      HttpProxyVariable.set(url.replace("//", "//ann:s3%3Acret@"))(probe(websockets))
      assertProxyRefuses("407")(address, "eventhubs.proxy.username" -> "ann", "eventhubs.proxy.password" -> "wrong")
    }
  }

  test("a proxy that asks for no sign-in must get none, because the SDK closes such a connection") {
    proxied() { proxy =>
      val signIn = Seq("eventhubs.proxy.username" -> "ann", "eventhubs.proxy.password" -> "s3:cret")
      val address = "eventhubs.proxy.address" -> s"127.0.0.1:${proxy.port}"
      for (scheme <- Seq("basic", "digest"))
        assertProxyRefuses("asks for no sign-in")(
          signIn :+ address :+ ("eventhubs.proxy.authentication" -> scheme): _*
        )
      probe(websockets, address)
    }
  }

  test("a challenge of HTTP's Digest scheme is answered, and a wrong password is refused at once") {
    proxied(signIn = Some(DigestSignIn("ann", "s3cret"))) { proxy =>
      val address = "eventhubs.proxy.address" -> s"127.0.0.1:${proxy.port}"
      val signIn = Seq("eventhubs.proxy.username" -> "ann", "eventhubs.proxy.password" -> "s3cret")
      probe(websockets, signIn :+ address :+ ("eventhubs.proxy.authentication" -> "digest"): _*)
      assertProxyRefuses("407")(address)
      assertProxyRefuses("407")(signIn :+ address: _*)
      val wrong = Seq("eventhubs.proxy.username" -> "ann", "eventhubs.proxy.password" -> "another")
      assertProxyRefuses("407")(wrong :+ address :+ ("eventhubs.proxy.authentication" -> "digest"): _*)
      assert(proxy.tunnels.size == 1)
    }
  }

  test("a plus sign in the user name or password of an address stands for itself") {
    proxied(signIn = Some(BasicSignIn("an+n:s3+cret x"))) { proxy =>
      HttpProxyVariable.set(s"http://an+n:s3+cret%20x@127.0.0.1:${proxy.port}")(probe(websockets))
    }
  }

  test("a proxy that cannot be reached, or that does not reach the service, is named") {
    assertProxyRefuses("127.0.0.1:1 ", "'eventhubs.proxy.address'")("eventhubs.proxy.address" -> "127.0.0.1:1")
    assertProxyRefuses("nowhere.invalid", "resolved")("eventhubs.proxy.address" -> "nowhere.invalid:3128")
    val proxy = new ConnectProxy
    try assertProxyRefuses("502 Bad Gateway")("eventhubs.proxy.address" -> s"127.0.0.1:${proxy.port}")
    finally proxy.close()
  }

  test("a variable that names no HTTP proxy is refused by its name, without its password") {
    Seq(
      "https://ann:s3cret@proxy:3128",
      "socks5://ann:s3cret@proxy",
      "http://",
      "ann:s3cret@:3128",
      "ann:s3/cret@proxy:3128",
      "ann:s3//cret@proxy:3128"
    ).foreach { value =>
      HttpProxyVariable.set(value) {
        val refused = refusal(websockets)
        assert(refused.getCondition == "EVENTHUBS_INVALID_OPTION" && refused.getMessage.contains("'HTTP_PROXY'"))
        assert(!refused.getMessage.contains("s3") && !refused.getMessage.contains("cret"), value)
        assertUnreachable("amqp")
      }
    }
  }
}
