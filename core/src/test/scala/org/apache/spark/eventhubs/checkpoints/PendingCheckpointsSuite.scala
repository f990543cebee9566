package org.apache.spark.eventhubs.checkpoints

import testkit.TestSuite

class PendingCheckpointsSuite extends TestSuite {

  private def at(seqNo: Long) = Checkpoint(seqNo, s"${seqNo * 100}")
  private val interval = 1000L

  test("the newest checkpoint of a blob wins, also when it is lower, as after a recreated hub") {
    val pending = new PendingCheckpoints(interval)
    pending.offer(Map("a" -> at(1), "b" -> at(9)), now = 0)
    pending.offer(Map("a" -> at(2), "b" -> at(3)), now = 5)
    assert(pending.due(now = 5).toMap == Map("a" -> at(2), "b" -> at(3)))
  }

  test("a blob is written at most once per interval, other blobs do not wait for it") {
    val pending = new PendingCheckpoints(interval)
    pending.offer(Map("a" -> at(1)), now = 0)
    pending.confirm("a", at(1), now = 10)
    pending.offer(Map("a" -> at(2), "b" -> at(5)), now = 20)
    assert(pending.due(now = 20) == Seq("b" -> at(5)))
    pending.confirm("b", at(5), now = 20)
    assert(pending.nextDue.contains(1010L) && pending.due(now = 1009).isEmpty)
    assert(pending.due(now = 1010) == Seq("a" -> at(2)))
    assert(pending.all == Seq("a" -> at(2)))
  }

  test("what is in the store already is not written again") {
    val pending = new PendingCheckpoints(interval)
    pending.offer(Map("a" -> at(1)), now = 0)
    pending.confirm("a", at(1), now = 0)
    pending.offer(Map("a" -> at(1)), now = 5000)
    assert(pending.isEmpty && pending.nextDue.isEmpty)
  }

  test("a checkpoint that came while an older one was written is written next") {
    val pending = new PendingCheckpoints(interval)
    pending.offer(Map("a" -> at(1)), now = 0)
    pending.offer(Map("a" -> at(2)), now = 1)
    pending.confirm("a", at(1), now = 2)
    assert(!pending.isEmpty && pending.due(now = 1002) == Seq("a" -> at(2)))
  }

  test("the age is that of the first checkpoint that is not in the store") {
    val pending = new PendingCheckpoints(interval)
    assert(pending.ageMillis(now = 100) == 0)
    pending.offer(Map("a" -> at(1)), now = 100)
    pending.offer(Map("a" -> at(2)), now = 400)
    assert(pending.ageMillis(now = 500) == 400)
    pending.confirm("a", at(2), now = 600)
    assert(pending.ageMillis(now = 700) == 0)
  }
}
