package org.apache.spark.sql.eventhubs.hubs

import org.apache.spark.eventhubs.{EventHubsException, NameAndPartition}
import org.apache.spark.sql.eventhubs.{EventHubsSourceOffset, TestSpark}
import testkit.TestSuite

class StreamPlannerSuite extends TestSuite with TestSpark {

  private val earliest = "eventhubs.startingPosition" -> "earliest"
  private val lenient = "failOnDataLoss" -> "false"

  private def fixture(names: String, options: (String, String)*): StreamPlannerFixture =
    new StreamPlannerFixture(spark, names, earliest +: options: _*)

  private def offset(hubs: (String, Seq[Long])*): EventHubsSourceOffset = EventHubsSourceOffset(hubs.map {
    case (hub, seqNos) => hub -> seqNos.zipWithIndex.map { case (seqNo, partition) => partition -> seqNo }.toMap
  }.toMap)

  private def of(hub: String, partition: Int) = NameAndPartition(hub, partition)

  private def refused(plan: => Any): EventHubsException = intercept[EventHubsException](plan)

  test("a batch reads all hubs, with different partition counts, from their own positions") {
    val f = fixture("b,a")
    f.retain("a", (0, 10), (5, 20))
    f.retain("b", (3, 4))
    assert(f.planner.initialOffset == offset("a" -> Seq(0, 5), "b" -> Seq(3)))
    val end = f.latest(f.planner.initialOffset)
    assert(end.json == """{"a":{"0":10,"1":20},"b":{"0":4}}""")
    assert(f.ranges(f.planner.initialOffset, end) ==
      Map(of("a", 0) -> (0L, 10L), of("a", 1) -> (5L, 20L), of("b", 0) -> (3L, 4L)))
    f.restart("a,b")
    f.retain("a", (0, 99), (5, 99))
    assert(f.planner.initialOffset == offset("a" -> Seq(0, 5), "b" -> Seq(3)), "the start is stored")
  }

  test("a limit is shared by backlog over the partitions of all hubs, and a small hub does not starve") {
    val f = fixture("huge,none,tiny")
    f.retain("huge", (0, 1000000), (0, 500000))
    f.retain("tiny", (0, 3))
    f.retain("none", (0, 0))
    val end = f.latest(f.planner.initialOffset, Some(300))
    assert(end == offset("huge" -> Seq(199, 99), "none" -> Seq(0), "tiny" -> Seq(1)))
    val second = f.latest(end, Some(300))
    assert(second.of("tiny") == Map(0 -> 2L), "every batch reads some of it")
  }

  test("minPartitions and maxPartitions count the tasks of all hubs") {
    val split = fixture("a,b", "eventhubs.minPartitions" -> "6")
    split.retain("a", (0, 300))
    split.retain("b", (0, 100))
    val start = split.planner.initialOffset
    val ranges = split.planned(start, split.latest(start))
    assert(ranges.groupBy(_.name).map { case (hub, parts) => hub -> parts.size } == Map("a" -> 4, "b" -> 2))

    val packed = fixture("a,b", "eventhubs.maxPartitions" -> "2")
    packed.retain("a", (0, 3), (0, 3))
    packed.retain("b", (0, 3), (0, 3))
    val end = packed.latest(packed.planner.initialOffset)
    val tasks = packed.planner.planned(packed.planner.initialOffset, end).tasks.map(_.ranges)
    assert(tasks.map(_.map(_.nameAndPartition)) == Seq(Seq(of("a", 0), of("a", 1)), Seq(of("b", 0), of("b", 1))))
  }

  test("without new events in any hub the offset stays the same") {
    val f = fixture("a,b")
    f.retain("a", (0, 4))
    f.retain("b", (0, 0))
    val end = f.latest(f.planner.initialOffset)
    assert(f.latest(end) == end)
  }

  test("AvailableNow ends where all hubs ended at its first batch") {
    val f = fixture("a,b")
    f.retain("a", (0, 4))
    f.retain("b", (0, 6))
    f.planner.prepareForAvailableNow()
    val first = f.latest(f.planner.initialOffset, Some(5))
    f.retain("a", (0, 40))
    f.retain("b", (0, 60))
    val end = Iterator.iterate(first)(f.latest(_, Some(5))).drop(5).next()
    assert(end == offset("a" -> Seq(4), "b" -> Seq(6)))
    assert(f.planner.availableNowEnd.contains(Map(of("a", 0) -> 4L, of("b", 0) -> 6L)))
  }

  test("a query of one hub writes the files that it always wrote, and keeps them when it becomes a list") {
    val f = fixture("a")
    f.retain("a", (0, 10))
    val before = f.latest(f.planner.initialOffset)
    assert(f.files.keySet == Set("0", "hub.json"))
    assert(f.files("0") == "\u0000v1\n{\"a\":{\"0\":0}}")
    assert(f.files("hub.json") == """{"version":1,"namespace":"contoso.servicebus.windows.net","hub":"a",""" +
      """"createdAt":"2024-01-01T00:00:00Z","startsAtEarliest":[0]}""")
    val written = f.files
    f.retain("b", (7, 9))
    f.restart("a,b")
    val end = f.latest(before)
    assert(f.ranges(before, end) == Map(of("b", 0) -> (7L, 9L)))
    assert(end == offset("a" -> Seq(10), "b" -> Seq(9)))
    assert(written.forall { case (name, text) => f.files(name) == text })
    assert(f.files.keySet == Set("0", "hub.json", "hubs/b.json"))
  }

  test("a hub that joins starts at its first event, also when the query starts at the latest, and keeps that start") {
    val f = new StreamPlannerFixture(spark, "a", "eventhubs.startingPosition" -> "latest")
    f.retain("a", (0, 10))
    val start = f.planner.initialOffset
    f.retain("b", (4, 9))
    f.restart("a,b")
    assert(f.latest(start, Some(2)).of("b") == Map(0 -> 6L))
    f.retain("b", (5, 12))
    f.restart("a,b")
    val end = offset("a" -> Seq(10), "b" -> Seq(6))
    assert(f.ranges(start, end) == Map(of("b", 0) -> (4L, 6L)), "the task reports what has expired since")
  }

  private val some = "eventhubs.partitions" -> "0"

  test("all partitions begin like all partitions by name, when the option named some of them until now") {
    for (now <- Seq(Nil, Seq("eventhubs.partitions" -> "0-2")); isReplayedFirst <- Seq(true, false)) {
      val f = new StreamPlannerFixture(spark, "a", earliest)
      f.retain("a", (0, 10), (7, 9), (0, 3))
      f.restart("a", some)
      val known = f.latest(f.planner.initialOffset)
      f.restart("a", now: _*)
      val end = f.latest(known)
      assert(end.of("a") == Map(0 -> 10L, 1 -> 9L, 2 -> 3L), now)
      f.retain("a", (0, 10), (8, 12), (0, 3))
      if (isReplayedFirst) f.restart("a", now: _*)
      val ranges = f.planned(known, end)
      assert(ranges.map(r => (r.partitionId, r.fromSeqNo, r.untilSeqNo)) == Seq((1, 7L, 9L), (2, 0L, 3L)))
      assert(ranges.forall(_.startsAtEarliest) && f.lost.isEmpty)
    }
  }

  test("a partition that is added to the hub later is read from its first number, also when the option named some") {
    for (before <- Seq("eventhubs.partitions" -> "0", "eventhubs.partitions" -> "0-1")) {
      val f = new StreamPlannerFixture(spark, "a", earliest)
      f.retain("a", (0, 10), (7, 9))
      f.restart("a", before)
      val first = f.latest(f.planner.initialOffset)
      f.restart("a")
      val known = f.latest(first)
      f.retain("a", (0, 10), (7, 9), (4, 6))
      assert(refused(f.latest(known)).getCondition == "EVENTHUBS_DATA_LOSS.EXPIRED")
    }
  }

  test("a batch that named another partition and is repeated without the option has the same range") {
    val f = new StreamPlannerFixture(spark, "a", earliest)
    f.retain("a", (0, 10), (7, 9))
    f.restart("a", some)
    val known = f.latest(f.planner.initialOffset)
    f.restart("a", "eventhubs.partitions" -> "0-1")
    val end = f.latest(known)
    f.restart("a")
    assert(f.ranges(known, end) == Map(of("a", 1) -> (7L, 9L)))
    assert(f.latest(end) == end && f.lost.isEmpty)
  }

  test("a planned batch with a partition that is down is finished without it, and its events are read when it is back") {
    for (isRead <- Seq(false, true)) {
      val f = new StreamPlannerFixture(spark, "a", earliest, lenient)
      f.retain("a", (0, 10), (0, 8))
      val start = f.latest(f.planner.initialOffset, Some(4))
      val end = f.latest(start)
      f.ranges(start, end)
      if (isRead) f.hubs("a").found = (_, _) => Some(3L)
      f.restart("a", some)
      if (isRead) assert(f.ranges(start, end) == Map(of("a", 0) -> (2L, 10L), of("a", 1) -> (1L, 8L)))
      else {
        assert(f.ranges(start, end) == Map(of("a", 0) -> (2L, 10L)))
        f.hubs("a").found = (_, _) => Some(3L)
        f.restart("a")
        assert(f.ranges(start, end) == Map(of("a", 0) -> (2L, 10L)), "a repetition is the same")
        f.restart("a", some)
        f.retain("a", (0, 12), (0, 8))
        val without = f.latest(end)
        assert(without == offset("a" -> Seq(12, 1)) && f.ranges(end, without) == Map(of("a", 0) -> (10L, 12L)))
        f.restart("a")
        val again = f.latest(without)
        assert(f.ranges(without, again) == Map(of("a", 1) -> (1L, 8L)))
        assert(f.latest(again) == again && f.lost.isEmpty)
      }
    }
  }

  test("partitions that go down one after the other are all left out of a planned batch") {
    val f = new StreamPlannerFixture(spark, "a", earliest, lenient)
    f.retain("a", (0, 10), (0, 8), (0, 6))
    val start = f.planner.initialOffset
    val end = f.latest(start)
    f.hubs("a").found = (partition, _) => Some(0L).filter(_ => partition == 2)
    f.restart("a", some)
    assert(f.ranges(start, end).keySet == Set(of("a", 0), of("a", 2)))
    f.hubs("a").found = (_, _) => None
    f.restart("a", some)
    assert(f.ranges(start, end).keySet == Set(of("a", 0)))
    f.restart("a")
    val again = f.latest(end)
    assert(f.ranges(end, again) == Map(of("a", 1) -> (0L, 7L), of("a", 2) -> (0L, 6L)))
    val last = f.latest(again)
    assert(f.ranges(again, last) == Map(of("a", 1) -> (7L, 8L)) && f.latest(last) == last)
  }

  test("a withheld partition counts as read up to its position, not up to the offset's") {
    val f = new StreamPlannerFixture(spark, "a", earliest, lenient)
    f.retain("a", (0, 10), (0, 8))
    val start = f.latest(f.planner.initialOffset, Some(4))
    val end = f.latest(start)
    f.restart("a", some)
    f.ranges(start, end)
    val position = start.of("a")(1)
    assert(f.planner.positions(end) == Map(of("a", 0) -> 10L, of("a", 1) -> position))
    val left = offset("b" -> Seq(3))
    assert(f.planner.readBefore(end.updated(Seq(left))) == offset("a" -> Seq(10, position), "b" -> Seq(3)))
    assert(f.planner.positions(left).isEmpty)
  }

  test("a Real-Time batch reads a withheld partition, and the next one continues after it") {
    val f = new StreamPlannerFixture(spark, "a", earliest, lenient)
    f.retain("a", (0, 10), (0, 8))
    val start = f.planner.initialOffset
    val end = f.latest(start)
    f.restart("a", some)
    f.ranges(start, end)
    f.restart("a")
    val opened = f.planner.openBatch(end)
    assert(opened.ranges.map(_.fromSeqNo) == Seq(10, 0))
    val closed = f.planner.close(opened, Map(of("a", 0) -> 10L, of("a", 1) -> 8L))
    assert(closed == end && f.planner.openBatch(closed).ranges.map(_.fromSeqNo) == Seq(10, 8))
  }

  test("a withheld partition is read at once when the query names it again, also without events in the others") {
    val f = new StreamPlannerFixture(spark, "a", earliest, lenient)
    f.retain("a", (0, 10), (0, 8))
    val start = f.latest(f.planner.initialOffset, Some(4))
    val end = f.latest(start)
    f.restart("a", some)
    f.ranges(start, end)
    f.restart("a")
    val read = Iterator.iterate((end, Seq.empty[Long])) { case (from, _) =>
      val next = f.latest(from)
      next -> f.planned(from, next).flatMap(range => range.fromSeqNo until range.untilSeqNo)
    }.slice(1, 5).flatMap(_._2).toSeq
    assert(read == (1L until 8L))
    val ended = new StreamPlannerFixture(spark, "a", earliest)
    ended.retain("a", (0, 10), (0, 8))
    val planned = ended.latest(ended.planner.initialOffset)
    ended.restart("a", some)
    assert(ended.ranges(ended.planner.initialOffset, planned).size == 2, "only with failOnDataLoss=false")
  }

  test("an offset without a hub of the query's first offset is that of another query") {
    val f = fixture("a")
    f.retain("a", (0, 10))
    f.planner.initialOffset
    f.restart("a")
    val error = refused(f.latest(offset("orders" -> Seq(4))))
    assert(error.getCondition == "EVENTHUBS_CHECKPOINT_OF_ANOTHER_HUB" && error.getMessage.contains("orders"))
    assert(refused(f.planner.openBatch(offset("orders" -> Seq(4)))).getCondition == error.getCondition)
    f.retain("b", (0, 5))
    f.restart("a,b")
    assert(refused(f.latest(offset("b" -> Seq(4)))).getCondition == error.getCondition)
  }

  test("a hub that left keeps its positions, and continues there when it is named again") {
    val f = fixture("a,b")
    f.retain("a", (0, 10))
    f.retain("b", (0, 10))
    val start = f.latest(f.planner.initialOffset)
    f.restart("a")
    f.retain("a", (0, 15))
    f.retain("b", (0, 15))
    val without = f.latest(start)
    assert(without == offset("a" -> Seq(15), "b" -> Seq(10)))
    assert(f.ranges(start, without) == Map(of("a", 0) -> (10L, 15L)))
    f.restart("b,a")
    val again = f.latest(without)
    assert(f.ranges(without, again) == Map(of("b", 0) -> (10L, 15L)))
  }

  test("a batch that was planned before a hub left is replayed with that hub") {
    val f = fixture("a,b")
    f.retain("a", (0, 10))
    f.retain("b", (0, 10))
    f.recreate("b", (0, 10))
    val start = f.planner.initialOffset
    val end = f.latest(start)
    val planned = f.ranges(start, end)
    f.restart("a")
    assert(f.ranges(start, end) == planned)
    val generation = f.planner.resolveGeneration(f.planned(start, end))
    for (hub <- Seq("a", "b")) assert(generation.ofHub(hub).created.map(_.time).contains(f.hubs(hub).createdAt))
    assert(f.planner.resolveGeneration(Nil).created.map(_.time).contains(f.hubs("a").createdAt))
  }

  test("a recreated hub is the only one that is lost") {
    val strict = fixture("a,b")
    strict.retain("a", (0, 10))
    strict.retain("b", (0, 10))
    val end = strict.latest(strict.planner.initialOffset)
    strict.recreate("b", (0, 10))
    val error = refused(strict.latest(end))
    assert(error.getCondition == "EVENTHUBS_DATA_LOSS.RECREATED" && error.getMessageParameters.get("hub") == "b")

    val tolerant = fixture("a,b", lenient)
    tolerant.retain("a", (0, 10))
    tolerant.retain("b", (0, 10))
    val before = tolerant.latest(tolerant.planner.initialOffset)
    tolerant.recreate("b", (0, 4))
    val after = tolerant.latest(before)
    assert(tolerant.ranges(before, after) == Map(of("b", 0) -> (0L, 4L)))
    assert(tolerant.lost == Map("b" -> 1L))
    tolerant.restart("a,b", lenient)
    assert(tolerant.ranges(before, after) == Map(of("b", 0) -> (0L, 4L)), "the replay knows it too")
  }

  test("a deleted hub is an error that names it, or is left out with its positions until it is back") {
    val strict = fixture("a,b")
    strict.retain("a", (0, 10))
    strict.retain("b", (0, 10))
    val end = strict.latest(strict.planner.initialOffset)
    strict.remove("b")
    val error = refused(strict.latest(end))
    assert(error.getCondition == "EVENTHUBS_NOT_FOUND" && error.getMessageParameters.get("hub") == "b")

    val f = fixture("a,b", lenient)
    f.retain("a", (0, 10))
    f.retain("b", (0, 10))
    val before = f.latest(f.planner.initialOffset)
    f.remove("b")
    f.retain("a", (0, 20))
    val without = f.latest(before)
    assert(without == offset("a" -> Seq(20), "b" -> Seq(10)))
    assert(f.lost.isEmpty, "nothing is known to be lost")
    f.hubs("b").unanswered = None
    f.retain("b", (0, 13))
    assert(f.latest(without) == offset("a" -> Seq(20), "b" -> Seq(13)))
  }

  test("the connection to a deleted hub is closed, and the hub is asked for ever more rarely") {
    val f = fixture("a,b", lenient)
    f.retain("a", (0, 10))
    f.retain("b", (0, 10))
    var end = f.latest(f.planner.initialOffset)
    f.remove("b")
    var asked = 0
    f.hubs("b").onQuestion = () => asked += 1
    end = f.latest(end)
    assert(asked > 0)
    f.clock.advance(60000)
    f.pool.evictIdle(60000)
    assert(f.hubs("b").clients.forall(_.isClosed) && !f.hubs("a").clients.forall(_.isClosed))
    val whenAsked = (1 to 180).filter { _ =>
      asked = 0
      f.clock.advance(10000)
      end = f.latest(end)
      asked > 0
    }
    assert(whenAsked.size < 12, s"in units of 10 s: $whenAsked")
    f.hubs("b").unanswered = None
    f.retain("b", (0, 13))
    f.clock.advance(300000)
    assert(f.latest(end) == offset("a" -> Seq(10), "b" -> Seq(13)))
  }

  test("a batch that was planned before a hub was deleted is finished without it, also when the hub has left") {
    for (names <- Seq("a,b", "a")) {
      val f = fixture("a,b", lenient)
      f.retain("a", (0, 10))
      f.retain("b", (0, 10))
      val start = f.planner.initialOffset
      val end = f.latest(start)
      f.remove("b")
      f.restart(names)
      if (names == "a,b") {
        f.latest(end)
        f.clock.advance(60000)
      }
      val batch = f.planner.planned(start, end)
      assert(f.lost.isEmpty, "the V1 source plans its last batch at each start, also one that is committed")
      batch.noteRun()
      assert(f.lost == Map("b" -> 10L), names)
      assert(f.ranges(start, end) == Map(of("a", 0) -> (0L, 10L)), names)
    }
  }

  test("a hub that never existed is an error, whatever the policy") {
    val f = fixture("a,b", lenient)
    f.retain("a", (0, 10))
    f.retain("b", (0, 10))
    f.remove("b")
    assert(refused(f.planner.initialOffset).getCondition == "EVENTHUBS_NOT_FOUND")
  }

  test("a checkpoint of none of the hubs is refused") {
    val f = fixture("a")
    f.retain("a", (0, 10))
    f.retain("b", (0, 10))
    f.planner.initialOffset
    val error = refused(f.restart("b,c"))
    assert(error.getCondition == "EVENTHUBS_CHECKPOINT_OF_ANOTHER_HUB")
    assert(error.getMessage.contains("b,c in contoso.servicebus.windows.net"))
  }

  test("a Real-Time batch has the partitions of all hubs and ends at each one's offset") {
    val f = fixture("a,b")
    f.retain("a", (0, 10))
    f.retain("b", (0, 10))
    val start = f.planner.initialOffset
    val batch = f.planner.openBatch(start)
    assert(batch.ranges.map(_.nameAndPartition) == Seq(of("a", 0), of("b", 0)))
    assert(f.planner.close(batch, Map(of("a", 0) -> 4L, of("b", 0) -> 7L)) == offset("a" -> Seq(4), "b" -> Seq(7)))
  }
}
