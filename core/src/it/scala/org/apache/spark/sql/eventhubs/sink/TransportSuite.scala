package org.apache.spark.sql.eventhubs.sink

import java.util.concurrent.TimeUnit
import javax.net.ssl.SSLContext

import scala.jdk.CollectionConverters._

import com.azure.messaging.eventhubs.{EventData, EventHubClientBuilder}

import localhub.{LocalHub, LocalHubConfig, TlsConfig}
import org.apache.spark.eventhubs.EventHubsException
import org.apache.spark.eventhubs.connection.{
  AzureEventHubsClient,
  ConnectProxy,
  EventHubsProducerClient,
  HttpProxyVariable
}
import org.apache.spark.eventhubs.options.{ReadMode, ReadSettings, WriteDestination, WriteSettings}
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.eventhubs.source.ReadSparkFixture
import testkit.{Certificates, TestSuite}

/** Connections other than plain AMQP, which only emulators offer: TLS, and AMQP over WebSockets. */
class TransportSuite extends TestSuite with ReadSparkFixture {

  private lazy val secure = LocalHub.start(LocalHubConfig(tls = Some(TlsConfig(port = 0))).withHub("telemetry", 2))
  private val defaultContext = SSLContext.getDefault

  // The SDK trusts the certificates that the JVM trusts.
  override protected def beforeAll(): Unit = {
    super.beforeAll()
    val pem = secure.certificatePem.getOrElse(fail("no certificate"))
    SSLContext.setDefault(Certificates.trusting(Certificates.parse(pem)))
  }

  override protected def afterAll(): Unit = {
    SSLContext.setDefault(defaultContext)
    secure.close()
    super.afterAll()
  }

  private def overTls = secure.tlsConnectionString.getOrElse(fail("no TLS")) + ";EntityPath=telemetry"

  private val ways = Seq[(String, () => Seq[(String, String)])](
    "TLS, without the development flag" -> (() => Seq("eventhubs.connectionString" -> overTls)),
    "WebSockets" -> (() =>
      Seq("eventhubs.connectionString" -> overTls, "eventhubs.transport" -> "amqpWebSockets")
    ),
    "WebSockets, to a hub with the development flag" -> (() =>
      Seq(
        "eventhubs.connectionString" -> secure.connectionString("telemetry"),
        "eventhubs.transport" -> "amqpWebSockets"
      )
    )
  )

  ways.foreach { case (way, options) =>
    test(s"written and read over $way, in a batch and in a stream") {
      secure.recreateHub("telemetry")
      val rows = (0 until 500).map(n => s"event-$n")
      val session = spark
      import session.implicits._
      rows.toDF("body").write.format("eventhubs").options(options().toMap).save()
      def read(frame: DataFrame) = bodiesOf(frame.select("body").collect().toSeq).sorted
      assert(read(spark.read.format("eventhubs").options(options().toMap).load()) == rows.sorted)

      val streamed = new java.util.concurrent.ConcurrentLinkedQueue[String]
      val stream =
        spark.readStream.format("eventhubs").options(options().toMap).option(fromStart._1, fromStart._2).load()
      runAvailable(
        stream.writeStream.foreachBatch((frame: DataFrame, _: Long) => read(frame).foreach(streamed.add)),
        newFolder().toString
      )
      assert(streamed.asScala.toSeq.sorted == rows.sorted)
    }
  }

  private val webSockets = "eventhubs.transport" -> "amqpWebSockets"

  private def overWebSockets(more: (String, String)*) =
    spark.read.format("eventhubs").options(Map("eventhubs.connectionString" -> overTls, webSockets) ++ more).load()

  private def withProxy(signIn: Option[String] = None)(test: ConnectProxy => Unit): Unit = {
    secure.recreateHub("telemetry")
    val producer = new EventHubClientBuilder().connectionString(secure.connectionString("telemetry"))
      .buildProducerClient()
    producer.send(java.util.List.of(new EventData("event")))
    producer.close()
    val proxy = new ConnectProxy(signIn)
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

  test("WebSockets through a proxy that wants a user name and a password") {
    withProxy(signIn = Some("ann:s3cret")) { proxy =>
      val signIn = Seq(
        "eventhubs.proxy.address" -> s"127.0.0.1:${proxy.port}",
        "eventhubs.proxy.username" -> "ann",
        "eventhubs.proxy.password" -> "s3cret"
      )
      val frame = overWebSockets(signIn: _*)
      assert(bodiesOf(frame.collect().toSeq) == Seq("event"))
      assert(!frame.queryExecution.toString.contains("s3cret"))
    }
  }

  test("an executor whose proxy refuses the sign-in fails with the proxy's name") {
    withProxy(signIn = Some("ann:s3cret")) { proxy =>
      val settings = ReadSettings.parse(
        Map(
          "eventhubs.connectionString" -> overTls,
          webSockets,
          "eventhubs.proxy.address" -> s"127.0.0.1:${proxy.port}",
          "eventhubs.operationTimeout" -> "10s"
        ),
        ReadMode.Stream
      )
      val client = new AzureEventHubsClient(settings.connection)
      try {
        val refused = intercept[EventHubsException](client.hubProperties())
        assert(refused.getCondition == "EVENTHUBS_PROXY" && refused.getMessage.contains(s"127.0.0.1:${proxy.port}"))
        assert(refused.getMessage.contains("407"))
      } finally client.close()
    }
  }

  test("operationTimeout limits each question about the partitions of a large hub, not their paced round") {
    secure.createHub("paced", partitions = 130)
    val settings = ReadSettings.parse(
      Map(
        "eventhubs.connectionString" -> (secure.tlsConnectionString.getOrElse(fail("no TLS")) + ";EntityPath=paced"),
        "eventhubs.operationTimeout" -> "3s"
      ),
      ReadMode.Stream
    )
    val client = new AzureEventHubsClient(settings.connection)
    try {
      val began = System.nanoTime()
      assert(client.hubState(0 until 130)._2.keySet == (0 until 130).toSet)
      assert(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began) > 3000, "else the test shows nothing")
    } finally client.close()
  }

  ways.foreach { case (way, options) =>
    test(s"a connection over $way can be aborted") {
      val producer = EventHubsProducerClient.open(WriteSettings.parse(options().toMap).connection)
      producer.newBatch(WriteDestination.AnyPartition, None).get()
      val before = secure.amqp.counters.openConnections
      producer.abort()
      eventually("the hub keeps the connection")(secure.amqp.counters.openConnections < before)
      val failed = intercept[Exception](producer.newBatch(WriteDestination.AnyPartition, None).get())
      assert(failed.getMessage.contains("Connection recovery support is terminated"))
    }
  }

  test("calls about the partitions of a large hub are limited to 40 a second") {
    secure.createHub("wide", partitions = 60)
    val address = secure.tlsConnectionString.getOrElse(fail("no TLS")) + ";EntityPath=wide"
    val settings = ReadSettings.parse(Map("eventhubs.connectionString" -> address), ReadMode.Stream)
    val client = new AzureEventHubsClient(settings.connection)
    try {
      val began = System.nanoTime()
      assert(client.partitionBounds(0 until 60).keySet == (0 until 60).toSet)
      assert(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began) >= 20 * 25)
    } finally client.close()
  }
}
