package org.apache.spark.eventhubs.connection

import java.io.IOException
import java.net.{InetSocketAddress, Proxy, ProxySelector, SocketAddress, URI}
import java.util.{Collections, List => JavaList}

import org.scalatest.funsuite.AnyFunSuite

import org.apache.spark.eventhubs.EventHubsException
import org.apache.spark.eventhubs.options.{ReadMode, ReadSettings}

class EndpointProbeSuite extends AnyFunSuite {

  /** Of a namespace whose name nobody can resolve here, as behind many a proxy. */
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

  test("a namespace that cannot be reached is told of at once") {
    Seq("amqp", "amqpWebSockets").foreach { transport =>
      assert(isRefused(transport))
      withProxy(Proxy.NO_PROXY)(assert(isRefused(transport)))
    }
  }

  test("where WebSockets go through the JVM's proxy, the namespace itself is not tried") {
    withProxy(httpProxy) {
      assert(!isRefused("amqpWebSockets"))
      assert(isRefused("amqp"), "which goes through no proxy")
    }
  }

  test("the same where the proxy is one that the SDK takes from its environment") {
    HttpProxyVariable.set("proxy:3128")(assert(!isRefused("amqpWebSockets")))
  }
}
