package org.apache.spark.eventhubs.receive

import java.util.{Map => JavaMap}

import org.apache.qpid.proton.amqp.messaging.ApplicationProperties

import org.apache.spark.eventhubs.amqp.{FakeMessage, ReceivedEvent}
import org.apache.spark.eventhubs.generation.HubGeneration
import org.apache.spark.eventhubs.send.SendFixture.connection
import org.apache.spark.util.{ManualTime, SizeEstimator}
import testkit.TestSuite

class ReplayCacheSuite extends TestSuite {

  private def key(from: Long, generation: String = "first", group: String = "$Default") =
    ReplayKey(ReceiverKey(connection, group, 0, None, HubGeneration.Unchecked(generation)), from, from + 1)

  private val event = new ReceivedEvent

  private def add(recorder: ReplayCache#Recorder, bodyBytes: Int*): Unit = bodyBytes.foreach { bytes =>
    event.set(FakeMessage(0, new Array[Byte](bytes)))
    recorder.add(event)
  }

  private def record(cache: ReplayCache, key: ReplayKey, maxBytes: Long, bodyBytes: Int*): Unit = {
    val recorder = cache.recorder(key, maxBytes)
    add(recorder, bodyBytes: _*)
    recorder.keep(bodyBytes.length.toLong)
    recorder.close()
  }

  /** Heap of a range of one event with a body of 1000 bytes. */
  private val one = {
    val cache = new ReplayCache(new ManualTime)
    record(cache, key(0), 1L << 20, 1000)
    cache.heapBytes
  }

  private def kept(cache: ReplayCache, from: Long*): Seq[Boolean] = from.map(n => cache.get(key(n)).isDefined)

  test("a range is found by reader, hub, start and end, any number of times") {
    val cache = new ReplayCache(new ManualTime)
    record(cache, key(0), 1L << 20, 1000)
    assert(cache.get(key(0)).isDefined && cache.get(key(0)).isDefined)
    assert(cache.get(key(1)).isEmpty)
    assert(cache.get(key(0, generation = "recreated")).isEmpty)
    assert(cache.get(key(0, group = "other")).isEmpty)
    assert(cache.get(key(0).copy(untilSeqNo = 2)).isEmpty)
  }

  test("over the bound, the least recently used range is evicted") {
    val cache = new ReplayCache(new ManualTime)
    record(cache, key(0), 2 * one, 1000)
    record(cache, key(1), 2 * one, 1000)
    cache.get(key(0))
    record(cache, key(2), 2 * one, 1000)
    assert(kept(cache, 0, 1, 2) == Seq(true, false, true))
    assert(cache.heapBytes == 2 * one)
  }

  test("cached and recorded ranges share one bound") {
    val cache = new ReplayCache(new ManualTime)
    val max = 10 * one
    record(cache, key(0), max, 1000)
    val recorders = (1 to 16).map(n => cache.recorder(key(n.toLong), max))
    for (_ <- 1 to 4; recorder <- recorders) {
      add(recorder, 1000)
      assert(cache.heapBytes <= max)
    }
    recorders.foreach(_.keep(4))
    recorders.foreach(_.close())
    assert(cache.heapBytes <= max)
    assert(kept(cache, (1L to 16L): _*).count(identity) == 2, "as many as there was room for")
  }

  test("a recording that is given up or fails releases its bytes") {
    val cache = new ReplayCache(new ManualTime)
    val tooMuch = cache.recorder(key(0), 2 * one)
    add(tooMuch, 1000, 1000, 1)
    assert(cache.heapBytes == 0)
    val failed = cache.recorder(key(1), 2 * one)
    add(failed, 1000)
    failed.close()
    failed.close()
    assert(cache.heapBytes == 0)
    record(cache, key(2), 2 * one, 1000, 1000)
    assert(kept(cache, 0, 1, 2) == Seq(false, false, true))
  }

  test("a range that is too large evicts no range that was cached after its start") {
    val time = new ManualTime
    val cache = new ReplayCache(time)
    record(cache, key(0), 3 * one, 1000)
    time.millis = 1
    val large = cache.recorder(key(1), 3 * one)
    time.millis = 2
    record(cache, key(2), 3 * one, 1000)
    add(large, 1000, 1000)
    assert(kept(cache, 0, 2) == Seq(false, true), "the older one makes room")
    add(large, 1000, 1000)
    large.keep(4)
    assert(kept(cache, 1, 2) == Seq(false, true))
  }

  test("a range that is recorded again replaces its earlier copy") {
    val cache = new ReplayCache(new ManualTime)
    (1 to 3).foreach(_ => record(cache, key(0), 1L << 20, 1000))
    assert(cache.heapBytes == one)
  }

  test("a range with lost events is not cached") {
    val cache = new ReplayCache(new ManualTime)
    val recorder = cache.recorder(key(0), 1L << 20)
    add(recorder, 1000)
    recorder.keep(2)
    assert(cache.get(key(0)).isEmpty && cache.heapBytes == 0)
  }

  test("an unused range is evicted after a while; clearing evicts all") {
    val time = new ManualTime
    val cache = new ReplayCache(time)
    record(cache, key(0), 1L << 20, 1000)
    record(cache, key(1), 1L << 20, 1000)
    time.millis = 500
    cache.get(key(1))
    cache.evictIdle(500)
    assert(kept(cache, 0, 1) == Seq(false, true))
    cache.clear()
    assert(cache.heapBytes == 0 && kept(cache, 1) == Seq(false))
  }

  test("a recording that has stopped for lack of room does not start again") {
    def isKept(bodyBytes: Int*): Boolean = {
      val cache = new ReplayCache(new ManualTime)
      record(cache, key(0), 2 * one, bodyBytes: _*)
      kept(cache, 0) == Seq(true)
    }
    assert(isKept(1000, 1000))
    assert(!isKept(1000, 1000, 1))
    assert(!isKept(1000, 1000, 1, 1))
  }

  test("every pass over a cached range starts at its first event") {
    val cache = new ReplayCache(new ManualTime)
    record(cache, key(0), 1L << 20, 1, 2, 3)
    def pass() = cache.get(key(0)).get.map { message =>
      event.set(message)
      event.body.length
    }
    assert(pass() == Seq(1, 2, 3) && pass() == Seq(1, 2, 3))
  }

  test("the heap counted for an event is what it takes, within a tenth") {
    val message = FakeMessage.decoded(0, Array[Byte](1, 2, 3, 4))
    message.setApplicationProperties(new ApplicationProperties(JavaMap.of("device", "a-device", "kind", "a-kind")))
    val encoded = FakeMessage.encoded(message)
    val heap = SizeEstimator.estimate(encoded)
    val counted = encoded.length + ReplayCache.OverheadBytes
    assert(math.abs(heap - counted) <= heap / 10, s"it has $heap bytes, $counted are counted")
  }
}
