package org.apache.spark.sql.eventhubs.planning

import java.time.Instant

import org.apache.spark.eventhubs.checkpoints.StoredCheckpoint
import org.apache.spark.eventhubs.connection.{FakeHub, PartitionBounds}
import org.apache.spark.eventhubs.generation.HubGeneration
import org.apache.spark.eventhubs.options.ReadSettings
import org.apache.spark.eventhubs.service.HubSnapshot
import org.apache.spark.eventhubs.{DataLossPolicy, EventHubsException, EventPosition, TestSettings}
import testkit.TestSuite

class PositionResolverSuite extends TestSuite {

  private val noon = Instant.parse("2024-01-31T12:00:00Z")
  private val bounds = Map(
    0 -> PartitionBounds(10, 50, "4900", noon),
    1 -> PartitionBounds(7, 7, "700", noon)
  )

  private class Fixture(settings: ReadSettings, stored: Map[Int, StoredCheckpoint] = Map.empty) {
    val hub = new FakeHub(2)
    var lost = 0L
    val resolver = new PositionResolver(
      settings,
      hub.connect(settings.connection),
      new DataLossPolicy(TestSettings.hub, "$Default", settings.failOnDataLoss, lost += _),
      _ => stored
    )
    def starts: Map[Int, Long] = startsIn(bounds)
    def startsIn(bounds: Map[Int, PartitionBounds]): Map[Int, Long] = resolver.startSeqNos(snapshot(bounds))
    def batch: Map[Int, (Long, Long)] = resolver.batchBounds(snapshot(bounds))
    def snapshot(bounds: Map[Int, PartitionBounds]): HubSnapshot =
      HubSnapshot(HubGeneration.CreatedAt(hub.createdAt), bounds)
    def ends: Map[Int, Long] = batch.view.mapValues(_._2).toMap
  }

  private def starting(position: String, more: (String, String)*): Fixture =
    new Fixture(TestSettings.stream(more :+ ("eventhubs.startingPosition" -> position): _*))

  private def ending(position: String): Fixture =
    new Fixture(TestSettings.batch("eventhubs.endingPosition" -> position))

  test("earliest is the first retained event, latest the next one to arrive") {
    assert(starting("earliest").starts == Map(0 -> 10, 1 -> 7))
    assert(starting("latest").starts == Map(0 -> 50, 1 -> 7))
  }

  test("a start by time or offset is not behind events that came after the answer, whose times nobody knows") {
    val announced = Map(0 -> bounds(0).upTo(55), 1 -> bounds(1).upTo(9))
    def starts(position: String) = starting(position).startsIn(announced)
    assert(starts("2024-01-31T12:00:01Z") == Map(0 -> 50, 1 -> 7))
    assert(starts("""{"offset":"9999"}""") == Map(0 -> 50, 1 -> 7))
    assert(starts("latest") == Map(0 -> 55, 1 -> 9))
  }

  test("an answer shows a promotion also when later events are announced") {
    val promoted = PartitionBounds(0, 100, "2:9:99", noon, Some(2)).upTo(105)
    assert(promoted.earlierEpoch(Some("1:5:50")).contains(1) && promoted.upTo(103) == promoted)
    assert(promoted.answered.latest == 100 && promoted.upTo(107).answered == promoted.answered)
  }

  test("streams start at the end by default, batches at the beginning") {
    assert(new Fixture(TestSettings.stream()).starts == Map(0 -> 50, 1 -> 7))
    assert(new Fixture(TestSettings.batch()).starts == Map(0 -> 10, 1 -> 7))
    assert(new Fixture(TestSettings.batch()).ends == Map(0 -> 50, 1 -> 7))
  }

  test("a partition's own position wins over the position for all") {
    val f = starting("earliest", "eventhubs.startingPositions" -> """{"0":"latest"}""")
    assert(f.starts == Map(0 -> 50, 1 -> 7))
  }

  test("an inclusive sequence number is the start, an exclusive one starts at the next event") {
    val positions = """{"0":20,"1":"latest"}"""
    assert(starting("earliest", "eventhubs.startingPositions" -> positions).starts(0) == 20)
    val exclusive = """{"0":{"seqNo":20,"isInclusive":false},"1":"latest"}"""
    assert(starting("earliest", "eventhubs.startingPositions" -> exclusive).starts(0) == 21)
  }

  test("no event comes after the largest sequence number: a start there is beyond the end, an end there reads all") {
    val largest = s"""{"seqNo":${Long.MaxValue},"isInclusive":false}"""
    assert(intercept[EventHubsException](starting(largest).starts).getCondition == "EVENTHUBS_POSITION_BEYOND_END")
    assert(ending(largest).ends == Map(0 -> 50, 1 -> 7))
    assert(StoredCheckpoint("blob", Some(Long.MaxValue), None, Instant.EPOCH).nextSeqNo.contains(Long.MaxValue))
  }

  test("the end is a valid sequence number; one beyond it is refused, with both numbers") {
    assert(starting("latest", "eventhubs.startingPositions" -> """{"0":50}""").starts(0) == 50)
    val error = intercept[EventHubsException](
      starting("latest", "eventhubs.startingPositions" -> """{"0":51}""").starts
    )
    assert(error.getCondition == "EVENTHUBS_POSITION_BEYOND_END")
    assert(error.getMessage.contains("51") && error.getMessage.contains("50"))
  }

  test("a sequence number that retention has removed is data loss: an error, or counted") {
    val positions = "eventhubs.startingPositions" -> """{"0":4}"""
    val error = intercept[EventHubsException](starting("latest", positions).starts)
    assert(error.getCondition == "EVENTHUBS_DATA_LOSS.EXPIRED")
    val lenient = starting("latest", positions, "failOnDataLoss" -> "false")
    assert(lenient.starts(0) == 10)
    assert(lenient.lost == 6)
  }

  test("a batch that asks for no events loses none, whatever retention has removed") {
    val nothing = Seq("eventhubs.startingPosition" -> "4", "eventhubs.endingPosition" -> "4")
    val f = new Fixture(TestSettings.batch(nothing: _*))
    assert(f.batch.values.forall { case (from, until) => from == until })
    assert(f.lost == 0)
  }

  test("times and offsets are looked up with a receiver, and only in partitions that have events") {
    val f = starting("2024-01-31T11:00:00Z")
    f.hub.found = (_, _) => Some(33)
    assert(f.starts == Map(0 -> 33, 1 -> 7))
    assert(f.hub.lookups == Seq(0 -> EventPosition.AtEnqueuedTime(noon.minusSeconds(3600), inclusive = true)))
  }

  test("a time after the last event is the end, without waiting for a later event") {
    val f = starting("2024-01-31T12:00:00.001Z")
    assert(f.starts == Map(0 -> 50, 1 -> 7))
    assert(f.hub.lookups.isEmpty)
  }

  test("the time of the last event is looked up when it is inclusive, and is the end when it is exclusive") {
    val inclusive = starting("2024-01-31T12:00:00Z")
    inclusive.hub.found = (_, _) => Some(49)
    assert(inclusive.starts(0) == 49)
    val exclusive = starting("""{"enqueuedTime":"2024-01-31T12:00:00Z","isInclusive":false}""")
    assert(exclusive.starts(0) == 50)
    assert(exclusive.hub.lookups.isEmpty)
  }

  test("an offset after the last one is the end, numbers compared as numbers") {
    for (offset <- Seq("4901", "10000")) {
      val f = starting(s"""{"offset":"$offset"}""")
      assert(f.starts(0) == 50, s"for $offset")
      assert(f.hub.lookups.isEmpty)
    }
    assert(starting("""{"offset":"4900","isInclusive":false}""").starts(0) == 50)
  }

  test("a geo-replicated hub: a whole-number offset is refused with a next step, a text is looked up") {
    val replicated = Map(0 -> bounds(0).copy(epoch = Some(2)))
    val error = intercept[EventHubsException](starting("""{"offset":"10000"}""").startsIn(replicated))
    assert(error.getCondition == "EVENTHUBS_OFFSET_NOT_ACCEPTED")
    assert(error.getMessage.contains("offset '10000' (com.microsoft:georeplication:invalid-offset)"))
    assert(error.getMessage.contains("Start at a sequence number"))
    val f = starting("""{"offset":"1:3500:35"}""")
    f.hub.found = (_, _) => Some(35)
    assert(f.startsIn(replicated) == Map(0 -> 35))
  }

  test("an offset that is not a number is looked up") {
    val f = starting("""{"offset":"1:abc:7"}""")
    f.hub.found = (_, _) => Some(12)
    assert(f.starts(0) == 12)
  }

  test("a lookup that receives no event from a partition with events is an error, never the end") {
    val error = intercept[EventHubsException](starting("2024-01-31T11:00:00Z").starts)
    assert(error.getCondition == "EVENTHUBS_TIMEOUT")
    assert(error.getMessage.contains("partition 0"))
  }

  test("a batch ends at the last existing event, even if its end position is later") {
    assert(ending("1000").ends == Map(0 -> 50, 1 -> 7))
    assert(ending("30").ends == Map(0 -> 30, 1 -> 7))
    assert(ending("earliest").ends == Map(0 -> 10, 1 -> 7))
  }

  test("a batch that ends at a time ends before the first event of that time") {
    val f = ending("2024-01-31T11:30:00Z")
    f.hub.found = (_, _) => Some(40)
    assert(f.ends == Map(0 -> 40, 1 -> 7))
  }

  private def fromStore(seqNos: Map[Int, Long], more: (String, String)*): Fixture = {
    val options = Seq(
      "eventhubs.startingPosition" -> "checkpointStore",
      "eventhubs.checkpointStore.container" -> "https://acc.blob.core.windows.net/box?sig=x"
    )
    val stored = seqNos.map { case (partition, seqNo) =>
      partition -> StoredCheckpoint(s"blob-$partition", Some(seqNo), Some("1:4900:40"), noon)
    }
    new Fixture(TestSettings.stream(options ++ more: _*), stored)
  }

  test("a checkpoint is the last processed event; without one the default position of the store counts") {
    assert(fromStore(Map(0 -> 19L)).starts == Map(0 -> 20, 1 -> 7))
    val latest = "eventhubs.checkpointStore.defaultPosition" -> "latest"
    assert(fromStore(Map(1 -> 6L), latest).starts == Map(0 -> 50, 1 -> 7))
    val own = "eventhubs.startingPositions" -> """{"0":30}"""
    assert(fromStore(Map(0 -> 19L), own).starts == Map(0 -> 30, 1 -> 7))
  }

  test("a checkpoint of the last event starts at the end; one beyond it is data loss, with the blob's name") {
    assert(fromStore(Map(0 -> 49L)).starts(0) == 50)
    val error = intercept[EventHubsException](fromStore(Map(0 -> 50L)).starts)
    assert(error.getCondition == "EVENTHUBS_DATA_LOSS.RECREATED" && error.getMessage.contains("'blob-0'"))
    val lenient = fromStore(Map(0 -> 50L), "eventhubs.failOnDataLoss" -> "false")
    assert(lenient.starts(0) == 10 && lenient.lost == 1)
  }

  test("a checkpoint that is older than the hub is data loss, also where its number looks plausible") {
    def recreated(more: (String, String)*): Fixture = {
      val f = fromStore(Map(0 -> 19L), more: _*)
      f.hub.createdAt = noon.plusSeconds(3600)
      f
    }
    val error = intercept[EventHubsException](recreated().starts)
    assert(error.getCondition == "EVENTHUBS_DATA_LOSS.RECREATED")
    assert(error.getMessage.contains("'blob-0'") && error.getMessage.contains(noon.toString), error.getMessage)
    val tolerated = recreated("eventhubs.failOnDataLoss" -> "false")
    assert(tolerated.starts(0) == 10 && tolerated.lost == 10)
    assert(tolerated.resolver.checkpointed(tolerated.snapshot(bounds)).isEmpty)
    val batch = recreated()
    assert(intercept[EventHubsException](batch.batch).getCondition == "EVENTHUBS_DATA_LOSS.RECREATED")
  }

  test("the clocks of the store and of the service may differ by some seconds") {
    val f = fromStore(Map(0 -> 19L))
    f.hub.createdAt = noon.plusSeconds(4)
    assert(f.starts(0) == 20)
  }

  test("a checkpoint from before a promotion: the first event that others have under its numbers is the start") {
    for ((first, from) <- Seq((15L, 15L), (20L, 20L), (40L, 20L))) {
      val replicated = Map(0 -> PartitionBounds(10, 50, "2:4900:49", noon, Some(2)))
      def promoted(more: (String, String)*): Fixture = {
        val f = fromStore(Map(0 -> 19L), more: _*)
        f.hub.partitions(0).latest = 50
        f.hub.partitions(0).firstOfEpoch = Seq(0L, first)
        f
      }
      if (first < 20) {
        val error = intercept[EventHubsException](promoted().startsIn(replicated))
        assert(error.getCondition == "EVENTHUBS_DATA_LOSS.FAILED_OVER" && error.getMessage.contains("'blob-0'"))
      } else assert(promoted().startsIn(replicated) == Map(0 -> from), "nothing is lost")
      val tolerated = promoted("eventhubs.failOnDataLoss" -> "false")
      assert(tolerated.startsIn(replicated) == Map(0 -> from))
      assert(tolerated.resolver.batchBounds(tolerated.snapshot(replicated))(0)._1 == from)
      assert(tolerated.resolver.checkpointed(tolerated.snapshot(replicated)).isEmpty)
    }
  }

  test("the checkpoint store is a starting position only, and needs a container") {
    val container = "eventhubs.checkpointStore.container" -> "https://acc.blob.core.windows.net/box?sig=x"
    val wrong = Seq(
      Seq("eventhubs.startingPosition" -> "checkpointStore"),
      Seq("eventhubs.startingPositions" -> """{"0":"checkpointStore"}"""),
      Seq(container, "eventhubs.endingPosition" -> "checkpointStore"),
      Seq(container, "eventhubs.endingPositions" -> """{"0":"checkpointStore"}"""),
      Seq(container, "eventhubs.checkpointStore.defaultPosition" -> "checkpointStore")
    )
    wrong.foreach { options =>
      val error = intercept[EventHubsException](TestSettings.batch(options: _*))
      assert(Set("EVENTHUBS_MISSING_OPTION", "EVENTHUBS_INVALID_OPTION")(error.getCondition), error.getMessage)
    }
  }
}
