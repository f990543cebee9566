package org.apache.spark.sql.eventhubs.exactlyonce

import org.apache.spark.eventhubs.rdd.OffsetRange
import org.apache.spark.eventhubs.{DataLoss, EventHubName, EventHubsErrors, EventHubsException, NameAndPartition}
import org.apache.spark.sql.eventhubs.sink.WriteIdentity
import testkit.TestSuite

class CompleteRangeSuite extends TestSuite {

  private val hub = EventHubName("ns.example", "alerts")
  private val range = OffsetRange(NameAndPartition("alerts", 3), 10, 14)

  private def read(events: Iterator[Int]): Seq[Int] =
    new CompleteRange(events, range, hub, WriteIdentity.ofQuery("q", 7)).toList

  test("a range with all its events") {
    assert(read(Iterator(10, 11, 12, 13)) == Seq(10, 11, 12, 13))
  }

  test("a range from which compaction has removed events, at its start, in it, at its end, or all of them") {
    Seq(Seq(11, 12, 13), Seq(10, 13), Seq(10, 11, 12), Seq.empty).foreach { events =>
      val failed = intercept[EventHubsException](read(events.iterator))
      assert(failed.getCondition == "EVENTHUBS_EXACTLY_ONCE.OUTCOME_UNKNOWN")
      assert(
        failed.getMessage.contains(s"${4 - events.length} of the events in OffsetRange(alerts, partition 3, [10, 14))")
      )
    }
  }

  test("data loss of any kind") {
    import DataLoss.Kind._
    Seq(Expired, Recreated, Gap).foreach { kind =>
      val lost = EventHubsErrors.dataLoss(hub, "group", DataLoss(kind, 3, 11, 12, "the evidence"))
      val failed = intercept[EventHubsException](read(Iterator(10) ++ Iterator.continually(throw lost)))
      assert(failed.getCondition == "EVENTHUBS_EXACTLY_ONCE.OUTCOME_UNKNOWN")
      assert(failed.getMessage.contains("the evidence"))
    }
  }

  test("a promotion, after which the driver repeats the batch") {
    val lost = EventHubsErrors.dataLoss(hub, "group", DataLoss(DataLoss.Kind.FailedOver, 3, 11, 11, "the evidence"))
    val failed = intercept[EventHubsException](read(Iterator(10) ++ Iterator.continually(throw lost)))
    assert(failed.getCondition == "EVENTHUBS_EXACTLY_ONCE.PROMOTED" && failed.getMessage.contains("the evidence"))
    assert(ExactlyOnceErrors.mendedByRestart(new RuntimeException(failed)).isDefined)
  }

  test("another failure stays what it is") {
    val other = ExactlyOnceErrors.withSpeculation(hub)
    assert(intercept[EventHubsException](read(Iterator.continually(throw other))) eq other)
  }
}
