package org.apache.spark.eventhubs.connection

import java.time.Duration

import scala.jdk.CollectionConverters._

import com.azure.messaging.eventhubs.models.EventPosition
import com.azure.messaging.eventhubs.{EventData, EventHubClientBuilder}
import org.scalatest.Suite

import org.apache.spark.eventhubs.HubFixture
import org.apache.spark.eventhubs.options.WriteSettings
import org.apache.spark.eventhubs.send.{OneHubBatches, SendLimits, SendPermit}
import org.apache.spark.util.ManualTime

/** Writes to a local hub, and reads it with the SDK. */
trait WriteHubFixture extends HubFixture { this: Suite =>

  protected def options(hub: String, more: (String, String)*): Map[String, String] =
    Map(
      "eventhubs.connectionString" -> localHub.connectionString(hub),
      // An attempt to send has a quarter of it. On a busy machine a shorter one fails and is retried, and tests count
      // those.
      "eventhubs.operationTimeout" -> "120s",
      // Time for several attempts, because the SDK sometimes reports no result for batches of a broken connection.
      "eventhubs.sendTimeout" -> "240s"
    ) ++ more

  protected def settings(hub: String, more: (String, String)*): WriteSettings =
    WriteSettings.parse(options(hub, more: _*))

  /** All events of the hub by partition, in order, as the SDK reads them. */
  protected def written(hub: String): Map[Int, Seq[EventData]] = {
    val client = new EventHubClientBuilder()
      .connectionString(localHub.connectionString(hub))
      .consumerGroup("$Default")
      .buildConsumerClient()
    try
      localHub.namespace.find(hub).toSeq.flatMap(_.partitions.zipWithIndex).map { case (log, partition) =>
        val bounds = log.bounds
        val count = (bounds.lastSequenceNumber - bounds.beginSequenceNumber + 1).toInt
        partition -> read(client.receiveFromPartition(partition.toString, _, _, _), count)
      }.toMap
    finally client.close()
  }

  private type Receive =
    (
        Int,
        EventPosition,
        Duration
    ) => com.azure.core.util.IterableStream[com.azure.messaging.eventhubs.models.PartitionEvent]

  private def read(receive: Receive, count: Int): Seq[EventData] = {
    val events = Seq.newBuilder[EventData]
    var position = EventPosition.earliest()
    var missing = count
    while (missing > 0) {
      val part = receive(math.min(missing, 5000), position, Duration.ofSeconds(60)).asScala.map(_.getData).toSeq
      assert(part.nonEmpty, s"$missing of $count retained events cannot be read")
      events ++= part
      missing -= part.length
      position = EventPosition.fromSequenceNumber(part.last.getSequenceNumber)
    }
    events.result()
  }

  protected def bodies(hub: String): Map[Int, Seq[String]] =
    written(hub).map { case (partition, events) => partition -> events.map(_.getBodyAsString) }

  protected def newPool(): ProducerPool =
    new ProducerPool(EventHubsProducerClient.open, Duration.ofMinutes(10), new ManualTime)

  /** Calls `use` with a new accumulator, and closes its producers afterwards. */
  protected def writing[T](settings: WriteSettings)(use: OneHubBatches => T): T = {
    val pool = newPool()
    try use(OneHubBatches(pool.borrow(settings.connection), SendLimits.of(settings), SendPermit(() => ())))
    finally pool.close()
  }

  protected def through(proxy: TcpProxy, hub: String, more: (String, String)*): WriteSettings = settings(
    hub,
    more :+ ("eventhubs.connectionString" ->
      localHub.connectionString(hub).replace(s":${localHub.amqpPort}", s":${proxy.port}")): _*
  )
}
