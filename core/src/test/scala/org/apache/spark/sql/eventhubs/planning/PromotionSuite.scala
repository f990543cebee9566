package org.apache.spark.sql.eventhubs.planning

import java.nio.file.Files

import org.apache.spark.eventhubs.EventHubsException
import org.apache.spark.eventhubs.generation.HubGeneration
import org.apache.spark.sql.eventhubs.EventHubsSourceOffset
import testkit.TestSuite

/** Geo-replicated hubs whose secondary region is promoted, in planning. */
class PromotionSuite extends TestSuite with PlannerTests {

  /** A query that has read `position` events of a hub in its first epoch. */
  private final class Fixture(position: Long, more: (String, String)*) {
    val f = fixture(1, more :+ earliest: _*)
    private val partition = f.hub.partitions(0)
    partition.firstOfEpoch = Seq(0L)
    f.retain(0 -> (0, position))
    val known: EventHubsSourceOffset = f.planner.latestOffset(f.planner.initialOffset, None)
    assert(known == f.offset(0 -> position))

    /** The secondary region has the events up to `at`. It has received events up to `until`. */
    def promote(at: Long, until: Long): Unit = {
      partition.firstOfEpoch = partition.firstOfEpoch :+ at
      f.retain(0 -> (partition.earliest, until))
    }

    /** What the query reads from `start` on, batch by batch, and where it ends. */
    def readFrom(start: EventHubsSourceOffset, limit: Option[Long] = None): (Seq[Long], EventHubsSourceOffset) = {
      val end = f.planner.latestOffset(start, limit)
      if (end == start) (Nil, start)
      else {
        val read = f.planned(start, end).flatMap(r => r.fromSeqNo until r.untilSeqNo)
        assert(f.planned(start, end).flatMap(r => r.fromSeqNo until r.untilSeqNo) == read)
        val (rest, last) = readFrom(end, limit)
        (read ++ rest, last)
      }
    }
  }

  test("new events under sequence numbers that were read already: an error at every start") {
    val q = new Fixture(100)
    q.promote(at = 90, until = 110)
    for (_ <- 1 to 2) {
      val error = intercept[EventHubsException](q.f.latest(q.known))
      assert(error.getCondition == "EVENTHUBS_DATA_LOSS.FAILED_OVER")
      assert(error.getMessage.contains("from sequence number 90 on"))
      assert(error.getMessage.contains("at sequence number 100 and epoch 1, and new events have epoch 2"))
      q.f.restart()
    }
  }

  test("tolerated, each event of the new epoch is read once, whatever its number and the batches' size") {
    for {
      until <- Seq(91L, 95L, 100L, 101L, 140L)
      limit <- Seq(None, Some(1L), Some(7L))
    } {
      val q = new Fixture(100, lenient)
      q.promote(at = 90, until)
      val (read, end) = q.readFrom(q.known, limit)
      assert(read == (90L until until), s"until $until with the limit $limit")
      assert(q.f.lost == 1)
      q.f.restart()
      q.promote(at = until, until + 5)
      assert(q.readFrom(end, limit)._1 == (until until until + 5))
      assert(q.f.lost == 2)
    }
  }

  test("a batch that is replayed after a restart starts where it started") {
    val q = new Fixture(100, lenient)
    q.promote(at = 90, until = 120)
    val end = q.f.planner.latestOffset(q.known, None)
    q.f.restart()
    assert(q.f.ranges(q.known, end) == Map(0 -> (90, 120)))
    assert(q.f.latest(end) == Map(0 -> 120))
    assert(q.f.ranges(end, q.f.offset(0 -> 125)) == Map(0 -> (120, 125)))
  }

  test("a promoted region that has all events that were read continues at the position, and is reported too") {
    assert(intercept[EventHubsException] {
      val strict = new Fixture(100)
      strict.promote(at = 130, until = 140)
      strict.f.latest(strict.known)
    }.getCondition == "EVENTHUBS_DATA_LOSS.FAILED_OVER")
    val q = new Fixture(100, lenient)
    q.promote(at = 130, until = 140)
    assert(q.readFrom(q.known)._1 == (100L until 140L))
    assert(q.f.lost == 1)
  }

  test("a promoted region without new events: reading continues at its end, and is reported once") {
    val q = new Fixture(100, lenient)
    q.promote(at = 80, until = 80)
    val (read, end) = q.readFrom(q.known)
    assert(read.isEmpty && end == q.f.offset(0 -> 80))
    q.f.retain(0 -> (0, 95))
    assert(q.readFrom(end)._1 == (80L until 95L))
    assert(q.f.lost == 1)
  }

  test("a Real-Time batch starts at the first event of the new epoch, once") {
    val q = new Fixture(100, lenient)
    q.promote(at = 90, until = 110)
    val batch = q.f.planner.openBatch(q.known)
    assert(batch.ranges.map(_.fromSeqNo) == Seq(90))
    assert(batch.generation.epochOf(0).contains(2))
    val end = q.f.close(batch, Map(0 -> 100L))
    assert(q.f.planner.openBatch(end).ranges.map(_.fromSeqNo) == Seq(100))
  }

  test("ranges name the epoch that they were planned for; those of other hubs do not") {
    val q = new Fixture(100)
    assert(q.f.planner.resolveGeneration(Nil) == HubGeneration.Replicated(
      HubGeneration.CreatedAt(q.f.hub.createdAt),
      Map(0 -> 1)
    ))
    val plain = new PlannerFixture(spark, 1)
    assert(plain.planner.resolveGeneration(Nil) == HubGeneration.CreatedAt(plain.hub.createdAt))
  }

  test("a checkpoint of a hub that was not replicated adopts the epochs that it finds") {
    val q = new Fixture(100, lenient)
    val file = q.f.folder.resolve("hub.json")
    val text = Files.readString(file)
    assert(text.contains("\"epochs\":{\"0\":1}"))
    Files.writeString(file, text.replaceAll(",\"(epochs|startsAtEarliest)\":(\\{[^}]*\\}|\\[[^]]*\\])", ""))
    q.promote(at = 100, until = 110)
    q.f.restart()
    assert(q.readFrom(q.known)._1 == (100L until 110L))
    assert(q.f.lost == 0)
    assert(Files.readString(file).contains("\"epochs\":{\"0\":2}"))
  }
}
