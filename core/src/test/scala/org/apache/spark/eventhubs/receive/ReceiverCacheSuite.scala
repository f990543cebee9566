package org.apache.spark.eventhubs.receive

import org.apache.spark.eventhubs.connection.SdkFailures
import org.apache.spark.eventhubs.executor.ExecutorResources
import org.apache.spark.eventhubs.generation.HubGeneration
import org.apache.spark.eventhubs.{Background, TestSettings}
import testkit.TestSuite

class ReceiverCacheSuite extends TestSuite {

  import ReceiverCacheFixture.{generation, settings}

  test("the next batch takes the receiver that continues where it starts") {
    val f = new ReceiverCacheFixture
    val first = f.read(0, 10)
    assert(f.read(10, 20) eq first)
    assert(f.cache.size == 1)
  }

  test("a batch that starts elsewhere opens its own") {
    val f = new ReceiverCacheFixture
    val first = f.read(0, 10)
    assert(f.read(5, 15) ne first)
  }

  test("two tasks on one partition never share a receiver, even when both start at one place") {
    val f = new ReceiverCacheFixture
    f.read(0, 10)
    val one = f.cache.acquire(settings, 0, generation, 10, fresh = false)
    val other = f.cache.acquire(settings, 0, generation, 10, fresh = false)
    assert(one ne other)
    f.consume(one, 20)
    f.consume(other, 20)
  }

  test("of two receivers at one position one is kept and one closed") {
    val f = new ReceiverCacheFixture
    val both = Seq.fill(2)(f.cache.acquire(settings, 0, generation, 0, fresh = false))
    both.foreach(f.consume(_, 10))
    both.foreach(f.cache.release)
    assert(f.cache.size == 1)
    assert(f.hub.openLinks.size == 1)
  }

  test("a retried task gets a fresh one, and the cached one is closed") {
    val f = new ReceiverCacheFixture
    val first = f.read(0, 10)
    val links = f.hub.openLinks
    assert(f.read(10, 20, fresh = true) ne first)
    assert(links.forall(!_.isOpen))
  }

  test("another consumer group, owner level, credential or partition has receivers of its own") {
    val f = new ReceiverCacheFixture
    val first = f.read(0, 10)
    val others = Seq(
      f.cache.acquire(TestSettings.stream("eventhubs.consumerGroup" -> "other"), 0, generation, 10, fresh = false),
      f.cache.acquire(TestSettings.stream("eventhubs.ownerLevel" -> "3"), 0, generation, 10, fresh = false),
      f.cache.acquire(TestSettings.withKey("b3RoZXI="), 0, generation, 10, fresh = false),
      f.cache.acquire(settings, 1, generation, 10, fresh = false)
    )
    assert(!others.contains(first))
    assert(f.read(10, 11) eq first)
  }

  test("a receiver whose link ended while it was idle is replaced") {
    val f = new ReceiverCacheFixture
    val first = f.read(0, 10)
    f.hub.links.head.complete()
    assert(f.read(10, 20) ne first)
    assert(f.cache.size == 1)
  }

  test("a close that fails leaves no other receiver open, and ends no later eviction") {
    val f = new ReceiverCacheFixture
    (0 until 3).foreach(partition => f.read(0, 10, partition))
    f.hub.links.head.onCancel = () => throw new OutOfMemoryError("unable to create native thread")
    f.clock.advance(300000)
    ExecutorResources.evict(f.resources)
    assert(f.hub.openLinks == f.hub.links.take(1).toSeq)
    f.clock.advance(60000)
    ExecutorResources.evict(f.resources)
    assert(f.hub.clients.forall(_.isClosed))
  }

  test("a receiver that was closed is not kept and opens no link") {
    val f = new ReceiverCacheFixture
    val receiver = f.cache.acquire(settings, 0, generation, 0, fresh = false)
    f.consume(receiver, 10)
    receiver.close()
    f.cache.release(receiver)
    assert(f.cache.size == 0)
    intercept[InterruptedException](receiver.reopenAt(10))
    assert(f.hub.openLinks.isEmpty)
  }

  test("a receiver that its task has closed is not held until the next task") {
    val f = new ReceiverCacheFixture
    val receiver = f.cache.acquire(settings, 0, generation, 0, fresh = false)
    assert(f.cache.used == 1)
    receiver.close()
    assert(f.cache.used == 0)
  }

  test("a receiver in the middle of its range is not kept") {
    val f = new ReceiverCacheFixture
    val receiver = f.cache.acquire(settings, 0, generation, 0, fresh = false)
    receiver.startRange(10)
    receiver.advance(() => false)
    f.cache.release(receiver)
    assert(f.cache.size == 0)
    assert(f.hub.openLinks.isEmpty)
  }

  test("a partition has at most two idle receivers, because the service allows five in all") {
    val f = new ReceiverCacheFixture
    val five = (0 until 5).map(i => f.cache.acquire(settings, 0, generation, i * 10L, fresh = false))
    five.zipWithIndex.foreach { case (receiver, i) =>
      f.consume(receiver, i * 10L + 10)
      f.clock.advance(1)
      f.cache.release(receiver)
    }
    assert(f.cache.size == 2)
    assert(f.hub.openLinks.map(_.link.fromSeqNo) == Seq(30, 40))
  }

  test("each partition keeps its own") {
    val f = new ReceiverCacheFixture
    (0 until 4).foreach(partition => f.read(0, 10, partition))
    assert(f.cache.size == 4)
  }

  test("an idle receiver is closed after its idle time, and later its connection") {
    val f = new ReceiverCacheFixture
    f.read(0, 10)
    f.clock.advance(299999)
    f.resources.evictIdle()
    assert(f.cache.size == 1)
    f.clock.advance(1)
    f.resources.evictIdle()
    assert(f.cache.size == 0)
    assert(f.hub.openLinks.isEmpty)
    assert(f.resources.clients.size == 1)
    f.clock.advance(60000)
    f.resources.evictIdle()
    assert(f.resources.clients.size == 0)
    assert(f.hub.clients.forall(_.isClosed))
  }

  test("the idle receivers with an owner level close with their query, those of other queries stay") {
    val f = new ReceiverCacheFixture
    val owner = TestSettings.stream("eventhubs.ownerLevel" -> "3")
    val others = Seq(
      settings,
      TestSettings.stream("eventhubs.ownerLevel" -> "4"),
      TestSettings.stream("eventhubs.ownerLevel" -> "3", "eventhubs.consumerGroup" -> "other")
    )
    (owner +: others).foreach(of => f.cache.release(f.cache.acquire(of, 0, generation, 10, fresh = false)))
    f.cache.queryStopped(owner)
    assert(f.cache.size == 3)
    f.cache.queryStopped(settings)
    assert(f.cache.size == 3)
  }

  test("an idle receiver with an owner level is closed after 30 seconds, unless the option says otherwise") {
    val f = new ReceiverCacheFixture
    val kept = "eventhubs.receiverIdleTimeout" -> "1 minute"
    val both = Seq(
      TestSettings.stream("eventhubs.ownerLevel" -> "3"),
      TestSettings.stream("eventhubs.ownerLevel" -> "3", kept, "eventhubs.consumerGroup" -> "other")
    )
    both.foreach(of => f.cache.release(f.cache.acquire(of, 0, generation, 10, fresh = false)))
    f.clock.advance(30000)
    f.resources.evictIdle()
    assert(f.cache.size == 1)
    f.clock.advance(30000)
    f.resources.evictIdle()
    assert(f.cache.size == 0)
  }

  test("a receiver that a task uses is not idle, however long it takes") {
    val f = new ReceiverCacheFixture
    val receiver = f.cache.acquire(settings, 0, generation, 0, fresh = false)
    f.clock.advance(10000000)
    f.resources.evictIdle()
    f.consume(receiver, 10)
    assert(f.hub.openLinks.size == 1)
  }

  test("when the service has too many receivers, the idle ones of the partition are closed") {
    val f = new ReceiverCacheFixture
    f.read(0, 10)
    f.hub.upcoming.enqueue(_.fail(SdkFailures.tooManyReceivers))
    val receiver = f.cache.acquire(settings, 0, generation, 50, fresh = false)
    val reading = Background(f.consume(receiver, 60))
    reading.whileWaiting(f.clock.advance(50))
    reading.result
    assert(f.cache.size == 0)
    assert(f.hub.openLinks.map(_.link.fromSeqNo) == Seq(50))
  }

  test("receivers of an earlier generation of the hub are closed and never continued") {
    val f = new ReceiverCacheFixture
    val old = f.read(0, 10)
    val other = f.read(0, 10, partition = 1)
    val recreated = HubGeneration.CreatedAt(java.time.Instant.parse("2025-01-01T00:00:00Z"))
    val receiver = f.cache.acquire(settings, 0, recreated, 10, fresh = false)
    assert(receiver ne old)
    f.consume(receiver, 20)
    f.cache.release(receiver)
    assert(f.hub.openLinks.map(link => link.link.partitionId -> link.link.fromSeqNo) == Seq(1 -> 0, 0 -> 10))
    assert(f.cache.acquire(settings, 1, generation, 10, fresh = false) eq other)
  }

  test("the links of a hub share the learned event size") {
    val f = new ReceiverCacheFixture
    f.read(0, 500)
    f.read(0, 10, partition = 1)
    assert(f.hub.links.last.link.partitionId == 1)
    assert(f.hub.links.last.credit >= 2000)
  }

  test("thousands of batches leave one receiver, one link and one connection") {
    val f = new ReceiverCacheFixture
    f.hub.partitions(0).latest = 100000
    (0L until 5000L).foreach(batch => f.read(batch * 3, batch * 3 + 3))
    assert(f.cache.size == 1)
    assert(f.hub.openLinks.size == 1)
    assert(f.hub.links.size <= 3)
    assert(f.resources.clients.size == 1)
  }

  test("closing the cache closes idle receivers at once, and used ones on return") {
    val f = new ReceiverCacheFixture
    f.read(0, 10)
    val used = f.cache.acquire(settings, 1, generation, 0, fresh = false)
    f.consume(used, 10)
    f.resources.close()
    f.cache.release(used)
    assert(f.hub.openLinks.isEmpty)
    assert(f.hub.clients.forall(_.isClosed))
  }

  test("when a link cannot be opened, the connection is returned") {
    val f = new ReceiverCacheFixture
    f.hub.partitions.remove(3)
    assertThrows[NoSuchElementException](f.cache.acquire(settings, 3, generation, 0, fresh = false))
    f.resources.clients.evictIdle(0)
    assert(f.resources.clients.size == 0)
  }
}
