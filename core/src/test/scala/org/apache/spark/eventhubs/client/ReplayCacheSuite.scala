package org.apache.spark.eventhubs.client

import java.util.{Map => JavaMap}

import org.apache.qpid.proton.amqp.messaging.ApplicationProperties
import org.scalatest.funsuite.AnyFunSuite

import org.apache.spark.eventhubs.client.OutgoingFakes.connection
import org.apache.spark.util.{ManualTime, SizeEstimator}

class ReplayCacheSuite extends AnyFunSuite {

  private def key(from: Long, scope: String = "first", group: String = "$Default") =
    ReplayKey(ReceiverKey(connection, group, 0, None, HubScope.Any(scope)), from, from + 1)

  private def replay(bodyBytes: Int): Replay = record(Long.MaxValue, bodyBytes).get

  private def record(mostBytes: Long, bodyBytes: Int*): Option[Replay] = {
    val recorder = new ReplayRecorder(mostBytes)
    val event = new ReceivedEvent
    bodyBytes.foreach { bytes =>
      event.set(FakeMessage(0, new Array[Byte](bytes)))
      recorder.add(event)
    }
    recorder.result()
  }

  private val one = replay(1000)

  test("a range is found by reader, hub, start and end, any number of times") {
    val cache = new ReplayCache(new ManualTime)
    cache.put(key(0), one, 1L << 20)
    assert(cache.get(key(0)).contains(one) && cache.get(key(0)).contains(one))
    assert(cache.get(key(1)).isEmpty)
    assert(cache.get(key(0, scope = "recreated")).isEmpty)
    assert(cache.get(key(0, group = "other")).isEmpty)
    assert(cache.get(key(0).copy(untilSeqNo = 2)).isEmpty)
  }

  test("over the bound, the one that was not used for longest goes") {
    val cache = new ReplayCache(new ManualTime)
    val room = 2 * one.heapBytes
    cache.put(key(0), one, room)
    cache.put(key(1), one, room)
    cache.get(key(0))
    cache.put(key(2), one, room)
    assert(Seq(0L, 1L, 2L).map(from => cache.get(key(from)).isDefined) == Seq(true, false, true))
    assert(cache.heapBytes == room)
  }

  test("a range larger than the bound is not kept, and pushes nothing out") {
    val cache = new ReplayCache(new ManualTime)
    cache.put(key(0), one, one.heapBytes)
    cache.put(key(1), replay(1001), one.heapBytes)
    assert(cache.get(key(0)).isDefined && cache.get(key(1)).isEmpty)
  }

  test("a range that comes again replaces itself") {
    val cache = new ReplayCache(new ManualTime)
    (1 to 3).foreach(_ => cache.put(key(0), one, 1L << 20))
    assert(cache.heapBytes == one.heapBytes)
  }

  test("what nobody uses goes after a while; closing drops all") {
    val time = new ManualTime
    val cache = new ReplayCache(time)
    cache.put(key(0), one, 1L << 20)
    cache.put(key(1), one, 1L << 20)
    time.millis = 500
    cache.get(key(1))
    cache.evictIdle(500)
    assert(cache.get(key(0)).isEmpty && cache.get(key(1)).isDefined)
    cache.clear()
    assert(cache.heapBytes == 0 && cache.get(key(1)).isEmpty)
  }

  test("recording stops when there is too much, and does not begin again") {
    val most = replay(1000).heapBytes + replay(1000).heapBytes
    assert(record(most, 1000, 1000).exists(_.length == 2))
    assert(record(most, 1000, 1000, 1).isEmpty)
    assert(record(most, 1000, 1000, 1, 1).isEmpty)
  }

  test("every pass over a range begins at its start") {
    val recorded = record(Long.MaxValue, 1, 2, 3).get
    def pass() = {
      val cursor = recorded.cursor()
      Iterator.continually(cursor.advance()).takeWhile(identity).map(_ => cursor.event.body.length).toList
    }
    assert(pass() == Seq(1, 2, 3) && pass() == Seq(1, 2, 3))
  }

  test("the heap counted for an event is what it takes, within a tenth") {
    val message = FakeMessage.decoded(0, Array[Byte](1, 2, 3, 4))
    message.setApplicationProperties(new ApplicationProperties(JavaMap.of("device", "a-device", "kind", "a-kind")))
    val encoded = FakeMessage.encoded(message)
    val heap = SizeEstimator.estimate(encoded)
    val counted = encoded.bytes.length + ReplayRecorder.OverheadBytes
    assert(math.abs(heap - counted) <= heap / 10, s"it has $heap bytes, $counted are counted")
  }
}
