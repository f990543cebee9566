package org.apache.spark.eventhubs.receive

import org.apache.spark.eventhubs.connection.SdkFailures
import testkit.TestSuite

/** Events that are requested before their task begins. */
class RequestAheadSuite extends TestSuite {

  import ReceiverCacheFixture.{generation, settings}

  /** Requests the events of a range that a later task will probably read. */
  private def ahead(f: ReceiverCacheFixture, partition: Int, from: Long, count: Long = 100, mayOpen: Boolean = true) =
    f.cache.requestAhead(settings, partition, generation, from, count, mayOpen)

  test("the task finds the link that was opened ahead, with its first events") {
    val f = new ReceiverCacheFixture
    val opened = ahead(f, 1, 0)
    val link = f.hub.links.head
    assert(link.isOpen && link.asked == math.min(100L, link.credit) && link.asked > 0)
    assert(ahead(f, 1, 0) == opened && f.hub.links.size == 1, "once")
    assert(opened.contains(f.read(0, 100, partition = 1)) && f.hub.links.size == 1)
  }

  test("a link that is open since the last batch gets the next range's events before its task begins") {
    val f = new ReceiverCacheFixture
    val last = (0 to 8).map(partition => f.read(0, 100, partition)).last
    val link = f.hub.links.last
    val waiting = link.asked - 100
    assert(ahead(f, 8, 100, count = waiting + 5, mayOpen = false).contains(last))
    assert(link.asked - 100 == waiting + 5)
    assert(f.read(100, 200, partition = 8) eq last)
    assert(f.hub.links.size == 9)
  }

  test("of a link that has ended since the last batch nothing is requested: another one opens ahead") {
    val f = new ReceiverCacheFixture
    val last = f.read(0, 100, partition = 1)
    f.hub.links.head.fail(SdkFailures.detached)
    assert(ahead(f, 1, 100, mayOpen = false).isEmpty && last.hasClosed)
    val opened = ahead(f, 1, 100)
    assert(opened.contains(f.read(100, 200, partition = 1)) && f.hub.links.size == 2)
  }

  test("no link is opened ahead for a range at which none continues, if that is not allowed") {
    val f = new ReceiverCacheFixture
    f.read(0, 100, partition = 1)
    assert(ahead(f, 1, 7, mayOpen = false).isEmpty)
    assert(ahead(f, 2, 0, mayOpen = false).isEmpty)
    assert(f.hub.links.size == 1)
  }

  test("a link that was opened ahead asks for no event after its range") {
    val f = new ReceiverCacheFixture
    f.read(0, 100, partition = 0)
    ahead(f, 1, 0, count = 5)
    assert(f.hub.links.last.asked == 5)
  }

  test("a link that was opened ahead is closed when its task does not come, or when the query has failed") {
    val f = new ReceiverCacheFixture
    ahead(f, 1, 0)
    f.clock.advance(59999)
    f.cache.evictIdle()
    assert(f.hub.openLinks.size == 1)
    f.clock.advance(1)
    f.cache.evictIdle()
    assert(f.hub.openLinks.isEmpty)
    ahead(f, 2, 0).foreach(f.cache.closeIdle)
    assert(f.hub.openLinks.isEmpty && f.cache.size == 0)
  }

  test("a link that was open before stays open as long as without the request, unless the query has failed") {
    val f = new ReceiverCacheFixture
    f.read(0, 100, partition = 1)
    ahead(f, 1, 100)
    f.clock.advance(299999)
    f.cache.evictIdle()
    assert(f.hub.openLinks.size == 1)
    ahead(f, 1, 100).foreach(f.cache.closeIdle)
    assert(f.hub.openLinks.isEmpty && f.cache.size == 0)
  }

  test("a link that was opened ahead stays open when a task has read it") {
    val f = new ReceiverCacheFixture
    ahead(f, 1, 0)
    f.read(0, 100, partition = 1)
    f.clock.advance(299999)
    f.cache.evictIdle()
    assert(f.hub.openLinks.size == 1)
  }

  test("no link is opened ahead for a task that has begun already, nor after the end") {
    val f = new ReceiverCacheFixture
    val begun = f.cache.acquire(settings, 1, generation, 0, fresh = false)
    assert(ahead(f, 1, 0).isEmpty)
    begun.close()
    assert(ahead(f, 1, 0).isDefined)
    f.cache.close()
    assert(ahead(f, 1, 0).isEmpty && f.hub.openLinks.isEmpty)
  }

  test("links that are opened ahead and that no task takes are not more than a partition's idle receivers") {
    val f = new ReceiverCacheFixture
    (0 until 5).foreach { query =>
      f.clock.advance(1)
      ahead(f, 1, query * 10L)
    }
    assert(f.hub.openLinks.map(_.link.fromSeqNo) == Seq(30, 40) && f.cache.size == 2)
  }

  test("a failed task leaves the link alone that another task has taken") {
    val f = new ReceiverCacheFixture
    val opened = ahead(f, 1, 0)
    val taken = f.cache.acquire(settings, 1, generation, 0, fresh = false)
    opened.foreach(f.cache.closeIdle)
    f.consume(taken, 100)
    assert(opened.contains(taken) && f.hub.openLinks.size == 1)
  }

  test("a task replaces a link that was opened ahead and has failed") {
    val f = new ReceiverCacheFixture
    f.hub.upcoming.enqueue(_.fail(SdkFailures.detached))
    ahead(f, 1, 0)
    f.read(0, 100, partition = 1)
    assert(f.hub.links.size == 2)
  }
}
