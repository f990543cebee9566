package org.apache.spark.sql.eventhubs.sink

import java.util.concurrent.TimeUnit
import javax.net.ssl.SSLContext

import scala.jdk.CollectionConverters._

import localhub.{LocalHub, LocalHubConfig, TlsConfig}
import org.apache.spark.eventhubs.connection.AzureEventHubsClient
import org.apache.spark.eventhubs.options.{ReadMode, ReadSettings}
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
