package localhub

import java.time.Duration

import scala.jdk.CollectionConverters._

import com.azure.messaging.eventhubs.models.{EventPosition, SendOptions}
import com.azure.messaging.eventhubs.{EventData, EventHubClientBuilder}

import localhub.http.TestClient
import testkit.{Eventually, TestSuite}

/** Compaction as a client of the official SDK sees it. */
class CompactedHubSuite extends TestSuite with Eventually {

  private def withHub(config: HubConfig)(use: LocalHub => Unit): Unit = {
    val hub = LocalHub.start(LocalHubConfig(hubs = Seq(config)))
    try use(hub)
    finally hub.close()
  }

  private def builder(hub: LocalHub): EventHubClientBuilder =
    new EventHubClientBuilder().connectionString(hub.connectionString("state")).consumerGroup("$Default")

  private def send(hub: LocalHub, events: (String, String)*): Unit = {
    val producer = builder(hub).buildProducerClient()
    try events.foreach { case (key, value) =>
        producer.send(Seq(new EventData(value)).asJava, new SendOptions().setPartitionKey(key))
      }
    finally producer.close()
  }

  private def read(hub: LocalHub, count: Int): Seq[(Long, String)] = {
    val consumer = builder(hub).buildConsumerClient()
    try
      consumer.receiveFromPartition("0", count, EventPosition.earliest(), Duration.ofSeconds(30)).asScala
        .map(event => event.getData.getSequenceNumber.toLong -> event.getData.getBodyAsString).toSeq
    finally consumer.close()
  }

  test("a reader skips the gaps, and the properties of the partition stay as they are") {
    withHub(HubConfig("state", 1)) { hub =>
      send(hub, "a" -> "1", "b" -> "1", "a" -> "2", "b" -> "2", "c" -> "1", "a" -> "3")
      hub.compact("state", "0")
      assert(read(hub, 3) == Seq(3L -> "2", 4L -> "1", 5L -> "3"))
      val client = builder(hub).buildProducerClient()
      val properties =
        try client.getPartitionProperties("0")
        finally client.close()
      assert(properties.getBeginningSequenceNumber == 0L && properties.getLastEnqueuedSequenceNumber == 5L)
      assert(!properties.isEmpty)
    }
  }

  test("a hub with the policy is compacted without a request, once its events are old enough") {
    val policy = Compaction(tombstoneRetention = Duration.ofHours(1), minLag = Duration.ofMillis(1))
    withHub(HubConfig("state", 1).withCompaction(policy)) { hub =>
      send(hub, "a" -> "1", "a" -> "2", "a" -> "3")
      val log = hub.namespace.find("state").get.partitions(0)
      eventually("the hub is compacted")(log.retainedEvents == 1)
      assert(read(hub, 1) == Seq(2L -> "3"))
    }
  }

  test("the HTTP API sets and shows the policy, sends tombstones, and compacts now") {
    withHub(HubConfig("other", 1)) { hub =>
      val http = new TestClient(hub.httpPort)
      def post(path: String, body: String = "") = http.call("POST", s"/hubs/state/$path", body)
      val put = http.call(
        "PUT",
        "/hubs/state?partitions=1&cleanupPolicy=compact&tombstoneRetention=2h&minCompactionLag=5m"
      )
      assert(put.statusCode == 201 && ujson.read(put.body)("cleanupPolicy").str == "compact")
      def config = hub.namespace.find("state").get.config
      assert(config.compaction.contains(Compaction(Duration.ofHours(2), Duration.ofMinutes(5))))
      Seq("\"1\"", "\"2\"").foreach(value => post("events", s"""{"body":$value,"partitionKey":"a"}"""))
      assert(post("events", """{"body":null,"partitionKey":"b"}""").statusCode == 201)
      val compacted = post("partitions/0/compact")
      assert(compacted.statusCode == 200 && ujson.read(compacted.body)("partitions")(0)("events").num == 2)
      assert(post("partitions/0/compact?tombstones=remove").statusCode == 200)
      assert(hub.namespace.find("state").get.partitions(0).retainedEvents == 1)
      assert(post("partitions/0/compact?tombstones=all").statusCode == 400)
      assert(post("partitions/3/compact").statusCode == 404)
      assert(http.call("PUT", "/hubs/state?tombstoneRetention=2h").statusCode == 400)
      assert(http.call("PUT", "/hubs/state?cleanupPolicy=delete").statusCode == 200 && config.compaction.isEmpty)
    }
  }
}
