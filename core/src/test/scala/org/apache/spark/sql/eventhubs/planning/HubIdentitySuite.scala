package org.apache.spark.sql.eventhubs.planning

import java.nio.file.{Files, Path}
import java.time.Instant

import org.apache.hadoop.conf.Configuration
import org.scalatest.funsuite.AnyFunSuite

import org.apache.spark.eventhubs.generation.HubGeneration
import org.apache.spark.eventhubs.{DataLossPolicy, EventHubName, EventHubsException}
import org.apache.spark.sql.eventhubs.EventHubsSourceOffset

class HubIdentitySuite extends AnyFunSuite {

  private val hub = EventHubName("contoso.servicebus.windows.net", "telemetry")
  private val first = HubGeneration.CreatedAt(Instant.parse("2024-01-01T00:00:00.123Z"))
  private val second = HubGeneration.CreatedAt(Instant.parse("2024-06-01T00:00:00Z"))
  private val start = EventHubsSourceOffset("telemetry", Map(0 -> 10L, 1 -> 20L))

  private def newFolder(): Path = Files.createTempDirectory("eventhubs-identity")
  private def file(folder: Path) = new HubIdentityFile(folder.toUri.toString, new Configuration)
  private def tracker(folder: Path, configured: EventHubName = hub) =
    new HubIdentityTracker(file(folder), folder.toUri.toString, configured)

  private class Losses(fail: Boolean) {
    var lost = 0L
    val policy = new DataLossPolicy(hub, "$Default", fail, lost += _)
  }

  private def notice(
      tracker: HubIdentityTracker,
      generation: HubGeneration.CreatedAt,
      losses: Losses = new Losses(fail = true),
      from: EventHubsSourceOffset = start
  ): Boolean = tracker.noticeRecreation(from, from.of("telemetry"), HubSnapshot(generation, Map.empty), losses.policy)

  test("an identity is read as it was written, and written over the one before") {
    val folder = newFolder()
    assert(file(folder).read().isEmpty)
    for (identity <- Seq(HubIdentity(hub, first, None), HubIdentity(hub, second, Some(start.json)))) {
      file(folder).write(identity)
      assert(file(folder).read().contains(identity))
    }
    val left = folder.toFile.list().filterNot(_.endsWith(".crc")).toSeq
    assert(left == Seq("hub.json"))
  }

  test("a checkpoint without an identity, as the legacy's, is adopted") {
    val folder = newFolder()
    assert(!notice(tracker(folder), first))
    assert(file(folder).read().contains(HubIdentity(hub, first, None)))
  }

  test("the same hub is no news, also after a restart") {
    val folder = newFolder()
    assert(!notice(tracker(folder), first))
    assert(!notice(tracker(folder), first))
  }

  test("a hub that was recreated is an error, again and again, until there is another checkpoint") {
    val folder = newFolder()
    notice(tracker(folder), first)
    for (_ <- 1 to 2) {
      val error = intercept[EventHubsException](notice(tracker(folder), second))
      assert(error.getCondition == "EVENTHUBS_DATA_LOSS.RECREATED")
      assert(error.getMessage.contains(first.time.toString) && error.getMessage.contains(second.time.toString))
    }
  }

  test("tolerated, it is counted for each partition, and the batch that starts there begins anew, also when replayed") {
    val folder = newFolder()
    notice(tracker(folder), first)
    val losses = new Losses(fail = false)
    val tolerant = tracker(folder)
    assert(notice(tolerant, second, losses))
    assert(losses.lost == 2)
    val restarted = tracker(folder)
    assert(restarted.beginsAnewAfter(start))
    assert(notice(restarted, second, losses))
    assert(losses.lost == 2, "one recreation is one loss")
  }

  test("the batches after that go on as usual") {
    val folder = newFolder()
    notice(tracker(folder), first)
    notice(tracker(folder), second, new Losses(fail = false))
    val next = EventHubsSourceOffset("telemetry", Map(0 -> 3L, 1 -> 0L))
    assert(!notice(tracker(folder), second, from = next))
    assert(!tracker(folder).beginsAnewAfter(next))
  }

  test("a checkpoint of another hub or namespace is refused, with both names") {
    val folder = newFolder()
    notice(tracker(folder), first)
    for (other <- Seq(hub.copy(name = "alerts"), hub.copy(namespace = "fabrikam.servicebus.windows.net"))) {
      val error = intercept[EventHubsException](tracker(folder, other))
      assert(error.getCondition == "EVENTHUBS_CHECKPOINT_OF_ANOTHER_HUB")
      assert(error.getMessage.contains(hub.toString) && error.getMessage.contains(other.toString))
    }
  }

  test("a file whose writer was stopped before its last step counts; half a first one does not") {
    val folder = newFolder()
    file(folder).write(HubIdentity(hub, first, None))
    Files.move(folder.resolve("hub.json"), folder.resolve(".hub.json.tmp"))
    Files.deleteIfExists(folder.resolve(".hub.json.crc"))
    assert(file(folder).read().contains(HubIdentity(hub, first, None)))
    Files.writeString(folder.resolve(".hub.json.tmp"), "{\"vers")
    assert(file(folder).read().isEmpty)
  }

  test("the hub's name in another case is the same hub") {
    val folder = newFolder()
    notice(tracker(folder), first)
    assert(!notice(tracker(folder, hub.copy(name = "Telemetry")), first))
  }

  test("an offset of another hub is refused, which a legacy checkpoint shows nowhere else") {
    val error = intercept[EventHubsException] {
      tracker(newFolder()).seqNosOf(EventHubsSourceOffset("alerts", Map(0 -> 1L)))
    }
    assert(error.getCondition == "EVENTHUBS_CHECKPOINT_OF_ANOTHER_HUB")
    assert(error.getMessage.contains("alerts") && error.getMessage.contains("telemetry"))
  }

  for (
    (text, problem) <- Seq(
      "" -> "its end is missing",
      "{\"version\":1" -> "its end is missing",
      "{}" -> "'version' is missing",
      "{\"version\":\"x\"}" -> "'version' is not a number",
      "{\"version\":1,\"hub\":\"h\",\"namespace\":\"n\"}" -> "'createdAt' is missing",
      "{\"version\":1,\"hub\":\"h\",\"namespace\":\"n\",\"createdAt\":\"noon\"}" -> "'createdAt' is not a time"
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
