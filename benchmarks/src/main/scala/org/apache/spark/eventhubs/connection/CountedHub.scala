package org.apache.spark.eventhubs.connection

import java.time.{Duration, Instant}

import org.reactivestreams.Subscription
import reactor.core.CoreSubscriber

import org.apache.spark.eventhubs.EventPosition
import org.apache.spark.eventhubs.generation.HubGeneration

/** Counts what the connector opens, and delivers nothing. For simulations of many executors in one JVM. */
final class CountedHub {

  var connections = 0
  var openLinks = 0
  var linksOpened = 0
  var openLinksOf: Map[Int, Int] = Map.empty.withDefaultValue(0)
  var mostLinksOf = 0

  private[connection] def opened(partition: Int): Unit = {
    openLinks += 1
    linksOpened += 1
    openLinksOf += partition -> (openLinksOf(partition) + 1)
    mostLinksOf = math.max(mostLinksOf, openLinksOf(partition))
  }

  private[connection] def closed(partition: Int): Unit = {
    openLinks -= 1
    openLinksOf += partition -> (openLinksOf(partition) - 1)
  }

  def connect(): EventHubsClient = {
    connections += 1
    new CountedClient(this)
  }
}

object CountedHub {
  val Generation: HubGeneration.CreatedAt = HubGeneration.CreatedAt(Instant.EPOCH)
}

private final class CountedClient(hub: CountedHub) extends EventHubsClient {

  override def hubProperties(): HubProperties = HubProperties("hub", CountedHub.Generation, Nil)

  override def subscribe(link: ReceiveLink, reader: CoreSubscriber[Array[Byte]]): Unit = {
    hub.opened(link.partitionId)
    reader.onSubscribe(new Subscription {
      private var isOpen = true
      override def request(n: Long): Unit = ()
      override def cancel(): Unit = if (isOpen) {
        isOpen = false
        hub.closed(link.partitionId)
      }
    })
  }

  override def close(): Unit = hub.connections -= 1

  override def partitionBounds(partitionIds: Seq[Int]): Map[Int, PartitionBounds] = unused

  override def firstSequenceNumber(
      consumerGroup: String,
      partitionId: Int,
      position: EventPosition,
      ownerLevel: Option[Long],
      timeout: Duration,
      whenEmpty: Option[Long]
  ): Option[Long] = unused

  override def epochAt(
      consumerGroup: String,
      partitionId: Int,
      seqNo: Long,
      ownerLevel: Option[Long],
      timeout: Duration,
      whenEmpty: Option[Int]
  ): Option[Int] = unused

  override def checkReading(
      consumerGroup: String,
      partitionId: Int,
      ownerLevel: Option[Long],
      timeout: Duration
  ): Unit = unused

  private def unused: Nothing = throw new UnsupportedOperationException("the simulation asks nothing of this kind")
}
