package org.apache.spark.sql.eventhubs.sink

import java.util.concurrent.TimeUnit

import scala.jdk.CollectionConverters._

import org.apache.spark.eventhubs.connection.{AzureEventHubsClient, EventHubsProducerClient}
import org.apache.spark.eventhubs.options.{ReadMode, ReadSettings, WriteDestination, WriteSettings}
import org.apache.spark.sql.DataFrame
import testkit.TestSuite

/** Connections other than plain AMQP, which only emulators offer: TLS, and AMQP over WebSockets. */
class TransportSuite extends TestSuite with SecureHubFixture {

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
