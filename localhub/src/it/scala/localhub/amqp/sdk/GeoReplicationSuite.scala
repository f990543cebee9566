package localhub.amqp.sdk

import com.azure.messaging.eventhubs.models.EventPosition

import localhub.HubConfig
import localhub.amqp.HubFixture
import testkit.TestSuite

/** A geo-replicated hub and the promotion of its secondary region, as the official Java SDK sees them. */
class GeoReplicationSuite extends TestSuite with HubFixture {

  override protected def beforeEach(): Unit = {
    super.beforeEach()
    namespace.create(HubConfig("replicated", 2, geoReplication = true))
    ()
  }

  private def sendTo(partition: String, bodies: String*): Unit = {
    import scala.jdk.CollectionConverters._
    val options = new com.azure.messaging.eventhubs.models.SendOptions().setPartitionId(partition)
    producer(connectionString("replicated"))
      .send(bodies.map(new com.azure.messaging.eventhubs.EventData(_)).asJava, options)
  }

  private def events(count: Int, from: EventPosition = EventPosition.earliest()) =
    read("0", count, from, consumer(connectionString("replicated"))).map(_.getData)

  test("offsets are texts with the epoch, and such an offset is a start") {
    sendTo("0", "a", "b", "c")
    val all = events(3)
    assert(all.map(_.getOffsetString).forall(_.matches("1:\\d+:\\d+")))
    assert(all.map(_.getSystemProperties.get("x-opt-sequence-number-epoch")) == Seq.fill(3)(Int.box(1)))
    assert(events(1, EventPosition.fromOffsetString(all(1).getOffsetString)).head.getBodyAsString == "c")
    assert(events(1, EventPosition.fromSequenceNumber(1, true)).head.getBodyAsString == "b")
  }

  test("a start at a whole-number offset is refused, also at the one that partition properties have") {
    sendTo("0", "a", "b", "c")
    val last = producer(connectionString("replicated")).getPartitionProperties("0").getLastEnqueuedOffset
    for (offset <- Seq("0", last)) {
      val refused = subscribe(consumer(connectionString("replicated")), "0", EventPosition.fromOffsetString(offset))
      assert(amqpFailure(throw refused.error()).getMessage.contains("com.microsoft:georeplication:invalid-offset"))
    }
  }

  test("a promotion ends connections, removes what was not replicated and gives its numbers again") {
    sendTo("0", "a", "b", "c", "d")
    sendTo("1", "x")
    val reader = subscribe(consumer(connectionString("replicated")), "0")
    assert(Seq.fill(4)(reader.next().getData.getBodyAsString) == Seq("a", "b", "c", "d"))
    namespace.find("replicated").foreach(_.promote(2, Some("0")))
    sendTo("0", "new")
    val all = events(3)
    assert(all.map(event => event.getBodyAsString -> event.getSequenceNumber.longValue) ==
      Seq("a" -> 0L, "b" -> 1L, "new" -> 2L))
    assert(all.last.getOffsetString.startsWith("2:"))
    // Partition 1 has no event of the new epoch yet.
    val epochs = namespace.find("replicated").get.partitions.map(log => log.epochAt(log.bounds.lastSequenceNumber))
    assert(epochs == Seq(Some(2), Some(1)))
  }

  test("other hubs have whole-number offsets and nothing to promote") {
    send("0", "a")
    assert(read("0", 1).head.getData.getOffsetString == "0")
    val hub1 = namespace.find("hub1").get
    assert(intercept[localhub.InvalidHubException](hub1.promote(0)).getMessage.contains("is not geo-replicated"))
  }
}
