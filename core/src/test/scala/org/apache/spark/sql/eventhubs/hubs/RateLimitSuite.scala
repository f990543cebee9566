package org.apache.spark.sql.eventhubs.hubs

import testkit.TestSuite

class RateLimitSuite extends TestSuite {

  private def shares(limit: Long, backlog: Long*): Seq[Long] = {
    val shared = RateLimit.fairShare(limit, backlog.zipWithIndex.map(_.swap).toMap)
    backlog.indices.map(shared)
  }

  test("a limit is divided in proportion to the backlog, rounded down, as in the legacy connector") {
    assert(shares(100, 250, 200, 150, 40) == Seq(39, 31, 23, 6))
  }

  test("the remaining backlog keeps its proportions, so that the partitions catch up together") {
    assert(shares(100, 211, 169, 127, 34) == Seq(39, 31, 23, 6))
    assert(shares(100, 172, 138, 104, 28) == Seq(38, 31, 23, 6))
  }

  test("equal backlogs get equal shares") {
    assert(shares(4, 50, 50, 50, 50) == Seq(1, 1, 1, 1))
  }

  test("a partition whose share is below one event still gets one, an empty one nothing") {
    assert(shares(10, 101, 11, 1, 0) == Seq(8, 1, 1, 0))
  }

  test("no partition starves even when there are more busy partitions than events in the limit") {
    assert(shares(1, 7, 7, 7) == Seq(1, 1, 1))
  }

  test("everything is read when it is within the limit") {
    assert(shares(33, 1, 30, 2) == Seq(1, 30, 2))
  }

  test("a limit of Long.MaxValue is no limit and does not overflow") {
    assert(shares(Long.MaxValue, Long.MaxValue, 5) == Seq(Long.MaxValue, 5))
  }

  test("backlogs whose sum exceeds a Long are still divided") {
    val half = Long.MaxValue / 2 + 1
    assert(shares(1000, half, half, half) == Seq(333, 333, 333))
  }

  test("no share is larger than its partition's backlog") {
    val backlog = Seq[Long](1000000, 1, 3, 0, 77)
    for (limit <- 1L to 2000L; (share, waiting) <- shares(limit, backlog: _*).zip(backlog))
      assert(share <= waiting, s"with the limit $limit")
  }

  test("a negative backlog, of a hub that lost events, counts as zero") {
    assert(shares(10, -50, 5, 20) == Seq(0, 2, 8))
  }

  test("without partitions there are no shares") {
    assert(RateLimit.fairShare(10, Map.empty[Int, Long]).isEmpty)
  }

  test("repeated batches read every partition to its end") {
    var backlog = Map(0 -> 250L, 1 -> 200L, 2 -> 150L, 3 -> 40L)
    var batches = 0
    while (backlog.values.exists(_ > 0)) {
      val shared = RateLimit.fairShare(100, backlog)
      assert(shared.values.sum > 0)
      backlog = backlog.map { case (partition, events) => partition -> (events - shared(partition)) }
      batches += 1
    }
    assert(batches == 7)
  }
}
