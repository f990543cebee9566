package org.apache.spark.sql.eventhubs.planning

import java.nio.file.{Files, Path}
import java.time.Instant

import org.apache.hadoop.conf.Configuration

import org.apache.spark.eventhubs.generation.HubGeneration
import org.apache.spark.eventhubs.service.HubSnapshot
import org.apache.spark.eventhubs.{DataLossPolicy, EventHubName, EventHubsException}
import org.apache.spark.sql.eventhubs.EventHubsSourceOffset
import testkit.TestSuite

class HubIdentitySuite extends TestSuite {

  private val hub = EventHubName("contoso.servicebus.windows.net", "telemetry")
  private val first = HubGeneration.CreatedAt(Instant.parse("2024-01-01T00:00:00.123Z"))
  private val second = HubGeneration.CreatedAt(Instant.parse("2024-06-01T00:00:00Z"))
  private val start = EventHubsSourceOffset("telemetry", Map(0 -> 10L, 1 -> 20L))

  private def damaged(field: String) =
    s"""{"version":1,"hub":"telemetry","namespace":"contoso.servicebus.windows.net","createdAt":"2024-01-01T00:00:00Z",$field}"""

  private def newFolder(): Path = Files.createTempDirectory("eventhubs-identity")
  private def file(folder: Path) = new HubIdentityFile(folder.toUri.toString, new Configuration)
  private def tracker(folder: Path, configured: EventHubName = hub) =
    new HubIdentityTracker(file(folder), folder.toUri.toString, configured)

  private class Losses(fail: Boolean) {
    var lost = 0L
    val policy = new DataLossPolicy(hub, "$Default", fail, lost += _)
  }

  private def detectRecreation(
      tracker: HubIdentityTracker,
      generation: HubGeneration.CreatedAt,
      losses: Losses = new Losses(fail = true),
      from: EventHubsSourceOffset = start
  ): Boolean = tracker.detectRecreation(from, from.of("telemetry"), HubSnapshot(generation, Map.empty), losses.policy)

  test("an identity is read as it was written, and replaces the one before") {
    val folder = newFolder()
    assert(file(folder).read().isEmpty)
    val identities = Seq(
      HubIdentity(hub, first, None),
      HubIdentity(hub, second, Some(start.json)),
      HubIdentity(hub, second, Some(start.json), Map(0 -> 7L, 1 -> 20L), Map(0 -> 2, 1 -> 1), Set(1)),
      HubIdentity(hub, first, None, startsAtEarliest = Set(0, 1), joinedAt = Map(2 -> 7L), namesPartitions = true),
      HubIdentity(hub, first, None, withheldAt = Some("{}"), withheld = Map(1 -> 7L))
    )
    for (identity <- identities) {
      file(folder).write(identity)
      assert(file(folder).read().contains(identity))
    }
    assert(folder.toFile.list().toSeq == Seq("hub.json"))
  }

  test("empty fields are left out of the file") {
    val folder = newFolder()
    file(folder).write(HubIdentity(hub, first, None))
    val text = Files.readString(folder.resolve("hub.json"))
    assert(text == "{\"version\":1,\"namespace\":\"contoso.servicebus.windows.net\",\"hub\":\"telemetry\"," +
      "\"createdAt\":\"2024-01-01T00:00:00.123Z\"}")
  }

  test("a checkpoint without an identity, such as a legacy one, adopts the hub's") {
    val folder = newFolder()
    assert(!detectRecreation(tracker(folder), first))
    assert(file(folder).read().contains(HubIdentity(hub, first, None)))
  }

  test("the same hub is not reported, also after a restart") {
    val folder = newFolder()
    assert(!detectRecreation(tracker(folder), first))
    assert(!detectRecreation(tracker(folder), first))
  }

  test("a recreated hub is an error at every start with the same checkpoint") {
    val folder = newFolder()
    detectRecreation(tracker(folder), first)
    for (_ <- 1 to 2) {
      val error = intercept[EventHubsException](detectRecreation(tracker(folder), second))
      assert(error.getCondition == "EVENTHUBS_DATA_LOSS.RECREATED")
      assert(error.getMessage.contains(first.time.toString) && error.getMessage.contains(second.time.toString))
    }
  }

  test(
    "a tolerated recreation is counted for each partition, and the batch that starts there reads from the beginning, also when replayed"
  ) {
    val folder = newFolder()
    detectRecreation(tracker(folder), first)
    val losses = new Losses(fail = false)
    val tolerant = tracker(folder)
    assert(detectRecreation(tolerant, second, losses))
    assert(losses.lost == 2)
    val restarted = tracker(folder)
    assert(restarted.restartsAfter(start))
    assert(detectRecreation(restarted, second, losses))
    assert(losses.lost == 2, "one recreation is one loss")
  }

  test("the batches after that continue from their offsets") {
    val folder = newFolder()
    detectRecreation(tracker(folder), first)
    detectRecreation(tracker(folder), second, new Losses(fail = false))
    val next = EventHubsSourceOffset("telemetry", Map(0 -> 3L, 1 -> 0L))
    assert(!detectRecreation(tracker(folder), second, from = next))
    assert(!tracker(folder).restartsAfter(next))
  }

  test("a checkpoint of another hub or namespace is refused, with both names") {
    val folder = newFolder()
    detectRecreation(tracker(folder), first)
    for (other <- Seq(hub.copy(name = "alerts"), hub.copy(namespace = "fabrikam.servicebus.windows.net"))) {
      val error = intercept[EventHubsException](tracker(folder, other))
      assert(error.getCondition == "EVENTHUBS_CHECKPOINT_OF_ANOTHER_HUB")
      assert(error.getMessage.contains(hub.toString) && error.getMessage.contains(other.toString))
    }
  }

  test("an identity whose writer was stopped before its last step counts; an incomplete first one does not") {
    val folder = newFolder()
    file(folder).write(HubIdentity(hub, first, None))
    Files.move(folder.resolve("hub.json"), folder.resolve(".hub.json.tmp"))
    assert(file(folder).read().contains(HubIdentity(hub, first, None)))
    Files.move(folder.resolve("hub.json"), folder.resolve(".hub.json.tmp"))
    Files.writeString(folder.resolve(".hub.json.tmp"), "{\"vers")
    assert(file(folder).read().isEmpty)
  }

  test("the case of the hub's name does not matter") {
    val folder = newFolder()
    detectRecreation(tracker(folder), first)
    assert(!detectRecreation(tracker(folder, hub.copy(name = "Telemetry")), first))
  }

  test("an offset of another hub is refused, because a legacy checkpoint names its hub only there") {
    val error = intercept[EventHubsException] {
      tracker(newFolder()).seqNosOf(EventHubsSourceOffset("alerts", Map(0 -> 1L)))
    }
    assert(error.getCondition == "EVENTHUBS_CHECKPOINT_OF_ANOTHER_HUB")
    assert(error.getMessage.contains("for event hub alerts, or by Spark's Kafka source for topic alerts, but"))
    assert(error.getMessage.contains("telemetry"))
  }

  for (
    (text, problem) <- Seq(
      "" -> "its end is missing",
      "{\"version\":1" -> "its end is missing",
      "{}" -> "'version' is missing",
      "{\"version\":\"x\"}" -> "'version' is not a number",
      "{\"version\":1,\"hub\":\"h\",\"namespace\":\"n\"}" -> "'createdAt' is missing",
      "{\"version\":1,\"hub\":\"h\",\"namespace\":\"n\",\"createdAt\":\"noon\"}" -> "'createdAt' is not a time",
      damaged("\"epochs\":{\"x\":1}") -> "'epochs' has no numbers by partition",
      damaged("\"restartsAt\":[1]") -> "'restartsAt' has no numbers by partition",
      damaged("\"startsAtEarliest\":{}") -> "'startsAtEarliest' is not a list of partitions"
    )
  ) test(s"a damaged file is refused: $text") {
    val folder = newFolder()
    Files.writeString(folder.resolve("hub.json"), text)
    val error = intercept[EventHubsException](tracker(folder))
    assert(error.getCondition == "EVENTHUBS_MALFORMED_IDENTITY")
    assert(error.getMessage.contains(problem) && error.getMessage.contains("hub.json"))
  }

  test("a file of a newer connector is refused") {
    val folder = newFolder()
    Files.writeString(folder.resolve("hub.json"), "{\"version\":2}")
    assert(intercept[EventHubsException](tracker(folder)).getCondition == "EVENTHUBS_UNSUPPORTED_LOG_VERSION")
  }
}
