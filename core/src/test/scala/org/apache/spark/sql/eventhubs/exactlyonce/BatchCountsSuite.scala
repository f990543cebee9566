package org.apache.spark.sql.eventhubs.exactlyonce

import testkit.TestSuite

class BatchCountsSuite extends TestSuite {

  private def first(task: Int, batch: Int) = EventStamp(1, task, Some(BatchNumber(7, batch)), None)
  private def next(task: Int) = EventStamp(1, task, None, None)

  private def count(events: (Int, EventStamp)*): Map[(Int, Int), Int] = {
    val counts = new BatchCounts
    events.foreach { case (partition, stamp) => counts.add(partition, stamp) }
    counts.result.map { case ((task, batch), events) => (task, batch.sequence) -> events }
  }

  test("the events of its task after the first one of a batch belong to it") {
    assert(count(0 -> first(3, 1), 0 -> next(3), 0 -> next(3), 0 -> first(3, 2)) == Map((3, 1) -> 3, (3, 2) -> 1))
  }

  test("another batch of the task in between makes no batch smaller") {
    val found = count(0 -> first(3, 1), 0 -> first(3, 2), 0 -> next(3), 0 -> next(3), 0 -> next(3))
    assert(found((3, 1)) >= 3 && found((3, 2)) >= 2)
  }

  test("a batch that is there twice is as large as its larger copy") {
    assert(count(0 -> first(3, 1), 0 -> next(3), 1 -> first(3, 1)) == Map((3, 1) -> 2))
  }

  test("other tasks and other partitions have batches of their own, also in between") {
    val found = count(0 -> first(3, 1), 0 -> first(4, 1), 1 -> first(3, 2), 0 -> next(3), 1 -> next(3), 0 -> next(4))
    assert(found == Map((3, 1) -> 2, (4, 1) -> 2, (3, 2) -> 2))
  }

  test("events whose first one was read before belong to no batch") {
    assert(count(0 -> next(3), 0 -> first(3, 2)) == Map((3, 2) -> 1))
  }
}
