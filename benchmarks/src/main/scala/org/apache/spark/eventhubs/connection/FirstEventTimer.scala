package org.apache.spark.eventhubs.connection

import org.apache.spark.eventhubs.options.{ReadMode, ReadSettings}
import org.apache.spark.eventhubs.receive.PrefetchQueue

/** Measures the time from opening a link to its first event. Only this package may create the client. */
final class FirstEventTimer(connectionString: String) extends AutoCloseable {

  private val settings = ReadSettings.parse(Map("eventhubs.connectionString" -> connectionString), ReadMode.Batch)
  private val client = new AzureEventHubsClient(settings.connection)

  /** Time to the first event of a partition, in nanoseconds. */
  def time(partition: Int): Long = {
    val begin = System.nanoTime()
    val queue = new PrefetchQueue(FirstEventTimer.Credit)
    client.subscribe(ReceiveLink(settings.consumerGroup, partition, 0, None), queue)
    queue.request(FirstEventTimer.Credit.toLong)
    while (queue.isEmpty) queue.park(Long.MaxValue, 1)
    val end = System.nanoTime()
    queue.cancel()
    end - begin
  }

  override def close(): Unit = client.close()
}

private object FirstEventTimer {
  private val Credit = 16
}
