package org.apache.spark.sql.eventhubs.source

import com.azure.messaging.eventhubs.models.CreateBatchOptions
import com.azure.messaging.eventhubs.{EventData, EventHubClientBuilder}
import org.scalatest.Suite

import org.apache.spark.sql.eventhubs.sink.WriteSparkFixture
import org.apache.spark.sql.streaming.{DataStreamWriter, StreamingQuery, Trigger}
import org.apache.spark.sql.{DataFrame, Row}
import testkit.{HubService, Patience}

/** Sends events with the SDK and reads them with Spark. */
trait ReadSparkFixture extends WriteSparkFixture { this: Suite =>

  /** Sends these bodies to one partition, in order. */
  protected def send(hub: String, partition: Int, bodies: String*): Unit = {
    val producer = new EventHubClientBuilder().connectionString(localHub.connectionString(hub)).buildProducerClient()
    try
      bodies.grouped(500).foreach { some =>
        val batch = producer.createBatch(new CreateBatchOptions().setPartitionId(partition.toString))
        some.foreach(body =>
          if (!batch.tryAdd(new EventData(body))) fail(s"'${body.take(20)}' does not fit into a batch")
        )
        producer.send(batch)
      }
    finally producer.close()
  }

  /** Events `p<partition>-<n>` for n from `from` until `until`. */
  protected def fill(hub: String, partition: Int, from: Int, until: Int): Unit =
    send(hub, partition, (from until until).map(n => s"p$partition-$n"): _*)

  protected def names(partition: Int, from: Int, until: Int): Set[String] =
    (from until until).map(n => s"p$partition-$n").toSet

  protected def stream(hub: String, more: (String, String)*): DataFrame =
    spark.readStream.format("eventhubs").options(options(hub, more: _*)).load()

  protected def batch(hub: String, more: (String, String)*): DataFrame =
    spark.read.format("eventhubs").options(options(hub, more: _*)).load()

  protected def fromStart: (String, String) = "eventhubs.startingPosition" -> "earliest"

  protected def bodiesOf(rows: Seq[Row]): Seq[String] = rows.map(row => new String(row.getAs[Array[Byte]]("body")))

  /** Reads all existing events and returns the finished query. */
  protected def runAvailable(writer: DataStreamWriter[Row], checkpoint: String): StreamingQuery = {
    HubService.current.awaitAnswers()
    val query = writer.option("checkpointLocation", checkpoint).trigger(Trigger.AvailableNow()).start()
    assert(query.awaitTermination(Patience.queryMillis), "the query did not end")
    query
  }
}
