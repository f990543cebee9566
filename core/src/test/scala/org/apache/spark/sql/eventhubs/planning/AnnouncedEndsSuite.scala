package org.apache.spark.sql.eventhubs.planning

import java.time.Instant

import org.apache.spark.eventhubs.generation.HubGeneration
import org.apache.spark.eventhubs.service.Known
import org.apache.spark.eventhubs.{DataLossPolicy, TestSettings}
import testkit.TestSuite

/** What the driver makes of events that executors announce. */
class AnnouncedEndsSuite extends TestSuite {

  import PartitionInfoReaderFixture.Fixture

  private def proven(f: Fixture, next: Long, created: Instant, epoch: Option[Int] = None): Long = {
    val end = Known(next, epoch)
    f.known.prove(TestSettings.hub, HubGeneration.CreatedAt(created), Map(0 -> end, 99 -> end))
    f.end
  }

  test("an event that is announced is planned without a question; late and doubled announcements change nothing") {
    val f = new Fixture(4)
    f.plan()
    val calls = f.calls
    assert(Seq(3L, 7L, 7L, 5L).map(proven(f, _, f.hub.createdAt)) == Seq(3L, 7L, 7L, 7L))
    assert(f.calls == calls && f.plan().bounds.keySet == Set(0, 1, 2, 3))
  }

  test("a query that starts by time reads what is announced after the answer and before its start is found") {
    val f = new Fixture(1)
    f.hub.partitions(0).latest = 100
    val settings = TestSettings.stream("eventhubs.startingPosition" -> "2024-01-02T00:00:10Z")
    val info = new PartitionInfoReader(settings, f.pool, f.known, f.clock)
    info.snapshot()
    assert(proven(f, 105, f.hub.createdAt) == 105)
    val policy = new DataLossPolicy(TestSettings.hub, "$Default", failOnDataLoss = true, _ => ())
    val resolver = new PositionResolver(settings, info.client, policy)
    assert(resolver.startSeqNos(info.snapshot()) == Map(0 -> 100L))
  }

  test("an announcement that is lost costs the time of a round") {
    val f = new Fixture(32)
    f.plan()
    f.hub.partitions(0).latest = 7
    val noticed = Iterator.continually { f.clock.advance(50); f.end }.take(200).indexWhere(_ == 7)
    assert(noticed >= 0 && noticed * 50 <= 3300)
  }

  test("an announcement of another generation proves nothing, and a recreated hub has no proof of the old one") {
    val f = new Fixture(4)
    f.plan()
    assert(proven(f, 7, f.hub.createdAt.minusSeconds(60)) == 0)
    assert(proven(f, 7, f.hub.createdAt) == 7)
    f.hub.createdAt = f.hub.createdAt.plusSeconds(60)
    f.clock.advance(60000)
    assert(f.end == 0)
    assert(proven(f, 9, f.hub.createdAt.minusSeconds(60)) == 0)
  }

  /** The ends of the next seconds, 20 a second. */
  private def ends(f: Fixture, seconds: Int): Seq[Long] =
    for (_ <- 1 to 20 * seconds) yield {
      f.clock.advance(50)
      f.end
    }

  test("answers that lack an announced event lag behind; the event counts as gone when they do so for a minute") {
    val f = new Fixture(4)
    f.plan()
    assert(proven(f, 7, f.hub.createdAt) == 7)
    val found = ends(f, 80)
    val gone = found.indexOf(0L)
    assert(gone / 20 >= 59 && gone / 20 < 63 && found.drop(gone).forall(_ == 0))
  }

  test("answers that always lag behind take no proof away while events are announced") {
    val f = new Fixture(4)
    f.plan()
    for (next <- 1 to 20) {
      assert(proven(f, next.toLong, f.hub.createdAt) == next)
      assert(ends(f, 10).forall(_ == next))
    }
  }

  test("an answer of a later epoch counts at once, though it has fewer events than were announced") {
    val f = new Fixture(1)
    f.hub.partitions(0).firstOfEpoch = Seq(0)
    f.hub.partitions(0).latest = 5
    assert(proven(f, 9, f.hub.createdAt, f.plan().bounds(0).epoch) == 9)
    f.hub.partitions(0).firstOfEpoch = Seq(0, 5)
    f.hub.partitions(0).latest = 7
    f.clock.advance(60000)
    assert(f.end == 7)
  }

  test(
    "what was announced of a region before or after a promotion, or before geo-replication, proves nothing of this one"
  ) {
    val f = new Fixture(1)
    f.hub.partitions(0).firstOfEpoch = Seq(0, 5)
    f.hub.partitions(0).latest = 7
    val epoch = f.plan().bounds(0).epoch
    def prove(next: Long, of: Option[Int]): Long = proven(f, next, f.hub.createdAt, of)
    assert(prove(9, epoch.map(_ - 1)) == 7 && prove(9, epoch.map(_ + 1)) == 7 && prove(9, None) == 7)
    assert(prove(8, epoch) == 8)
  }
}
