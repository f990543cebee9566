package org.apache.spark.eventhubs.connection

import java.io.IOException
import java.net.{InetSocketAddress, Proxy, ProxySelector, SocketAddress, URI}
import java.util.{Collections, List => JavaList}

import org.apache.spark.eventhubs.EventHubsException
import org.apache.spark.eventhubs.options.{ReadMode, ReadSettings}
import testkit.TestSuite

class EndpointProbeSuite extends TestSuite {

  /** Probes a namespace whose name cannot be resolved here, as behind many proxies. */
  private def probe(transport: String): Unit = {
    val connectionString =
      "Endpoint=sb://contoso.invalid/;SharedAccessKeyName=reader;SharedAccessKey=a2V5;EntityPath=telemetry"
    val options = Map("eventhubs.connectionString" -> connectionString, "eventhubs.transport" -> transport)
    EndpointProbe.check(ReadSettings.parse(options, ReadMode.Stream).connection)
  }

  private def isRefused(transport: String): Boolean =
    try {
      probe(transport)
      false
    } catch {
      case unreachable: EventHubsException =>
        assert(unreachable.getCondition == "EVENTHUBS_UNREACHABLE")
        true
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

  private val httpProxy = new Proxy(Proxy.Type.HTTP, InetSocketAddress.createUnresolved("proxy", 3128))

  test("an unreachable namespace fails at once") {
    Seq("amqp", "amqpWebSockets").foreach { transport =>
      assert(isRefused(transport))
      withProxy(Proxy.NO_PROXY)(assert(isRefused(transport)))
    }
  }

  test("the namespace is not probed where WebSockets use the JVM's proxy") {
    withProxy(httpProxy) {
      assert(!isRefused("amqpWebSockets"))
      assert(isRefused("amqp"), "plain AMQP uses no proxy")
    }
  }

  test("the namespace is not probed where WebSockets use the SDK's proxy from the environment") {
    HttpProxyVariable.set("proxy:3128")(assert(!isRefused("amqpWebSockets")))
  }
}
