package org.apache.spark.eventhubs.connection

import org.apache.spark.eventhubs.options.{ReadMode, ReadSettings}
import org.apache.spark.eventhubs.receive.PrefetchQueue

/** How long a new link takes until its first event, of a client that its own package makes. */
final class FirstEvents(connectionString: String) extends AutoCloseable {

  private val settings = ReadSettings.parse(Map("eventhubs.connectionString" -> connectionString), ReadMode.Batch)
  private val client = new AzureEventHubsClient(settings.connection)

  /** @return nanoseconds */
  def time(partition: Int): Long = {
    val begin = System.nanoTime()
    val feed = new PrefetchQueue(FirstEvents.Credit)
    client.subscribe(ReceiveLink(settings.consumerGroup, partition, 0, None), feed)
    feed.request(FirstEvents.Credit.toLong)
    while (feed.isEmpty) feed.park(Long.MaxValue, 1)
    val end = System.nanoTime()
    feed.cancel()
    end - begin
  }

  override def close(): Unit = client.close()
}

private object FirstEvents {
  private val Credit = 16
}
