package org.apache.spark.eventhubs.connection

import org.apache.spark.eventhubs.options.{ReadMode, ReadSettings}
import org.apache.spark.eventhubs.receive.PrefetchQueue
import org.apache.spark.sql.eventhubs.source.{ReadHubFixture, StoredEvent}
import testkit.TestSuite

/** How much a link gets in a round trip. */
class LinkWindowSuite extends TestSuite with ReadHubFixture {

  private val credit = 4096

  /** Events that arrive before the service hears again from the reader. */
  private def firstFlight(events: Int, bodyBytes: Int): Int = {
    val name = newHub(1)
    StoredEvent.append(hub(name).partitions.head, 0, events, bodyBytes)
    val proxy = new FirstFlightProxy(localHub.amqpPort)
    val endpoint = "eventhubs.customEndpoint" -> s"localhost:${proxy.port}"
    val settings = ReadSettings.parse(options(name, Seq(endpoint)), ReadMode.Stream)
    val client = new AzureEventHubsClient(settings.connection)
    try {
      val queue = new PrefetchQueue(credit)
      client.subscribe(
        ReceiveLink("$Default", 0, 0, None, ReceiveLink.window(settings.receiverBufferBytes)),
        queue
      )
      queue.request(credit.toLong)
      var (taken, before, unchanged) = (0, -1, 0)
      eventually("nothing more arrives") {
        while (queue.poll() ne null) taken += 1
        unchanged = if (taken > 0 && taken == before) unchanged + 1 else 0
        before = taken
        unchanged > 20
      }
      taken
    } finally {
      client.close()
      proxy.close()
    }
  }

  /** They fill `receiverBufferBytes` of 16 MiB twice, at 12 KB each. */
  private val frames = (32 << 20) / 12288

  Seq("1 KB" -> 1024, "10 KB" -> 10240).foreach { case (size, bodyBytes) =>
    test(s"in one round trip a link gets as many events of $size as its window has frames") {
      assert(firstFlight(credit, bodyBytes) == frames)
    }
  }
}
