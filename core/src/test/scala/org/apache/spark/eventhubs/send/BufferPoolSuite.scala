package org.apache.spark.eventhubs.send

import org.apache.spark.eventhubs.connection.SdkFailures
import org.apache.spark.eventhubs.send.SendFixture._
import testkit.TestSuite

/** Which batches reuse the arrays of earlier ones. */
class BufferPoolSuite extends TestSuite {

  private def arraysOf(producer: FakeProducer): Seq[Array[Byte]] =
    producer.sends.map(_.batch.buffer.get).toSeq

  private def isShared(arrays: Seq[Array[Byte]]): Boolean =
    arrays.map(System.identityHashCode).distinct.length < arrays.length

  test("full batches reuse the arrays of accepted ones") {
    val producer = new FakeProducer(4, _.confirm())
    val events = accumulator(poolOf(producer))
    (0 until 10).foreach(_ => events.add(event("1234567890"), None))
    events.flush()
    assert(producer.sends.length == 10)
    assert(arraysOf(producer).map(System.identityHashCode).distinct.length <= 3)
  }

  test("an array is not reused before its batch is confirmed") {
    val producer = new FakeProducer(4, _ => ())
    val results = new ManualSendResults(() => producer.sends.foreach(_.confirm()))
    val events = accumulator(poolOf(producer), results = results)
    (0 until 10).foreach(_ => events.add(event("1234567890"), None))
    assert(producer.sends.length == 9 && !isShared(arraysOf(producer)))
    events.flush()
  }

  test("the array of a retried batch is not reused") {
    var failures = 0
    val producer = new FakeProducer(
      4,
      send =>
        if (failures < 5) {
          failures += 1
          send.fail(SdkFailures.detached)
        } else send.confirm()
    )
    val events = accumulator(poolOf(producer, producer, producer, producer, producer, producer))
    (0 until 5).foreach(_ => events.add(event("1234567890"), None))
    events.flush()
    val first = producer.sends.take(5).map(_.batch).distinct
    (0 until 20).foreach(_ => events.add(event("abcdefghij"), None))
    events.flush()
    val later = producer.sends.map(_.batch).filterNot(first.contains)
    assert(failures == 5 && later.length >= 20)
    assert(first.forall(sent => !later.exists(_.buffer.get eq sent.buffer.get)))
  }

  test("destinations whose batches are never full reuse no arrays") {
    val producer = new FakeProducer(4, _.confirm())
    val events = accumulator(poolOf(producer))
    (0 until 10).foreach { _ =>
      events.add(event("1"), None)
      events.flush()
    }
    assert(producer.sends.length == 10 && !isShared(arraysOf(producer)))
  }

  test("the pool keeps no more bytes than allowed") {
    val buffers = new BufferPool(25)
    val arrays = Seq.fill(3)(new Array[Byte](10))
    arrays.foreach(buffers.release)
    val kept = Iterator.continually(buffers.acquire()).takeWhile(_.isDefined).flatten.toList
    assert(kept.length == 2 && kept.forall(array => arrays.exists(_ eq array)))
    buffers.release(arrays.head)
    assert(buffers.acquire().exists(_ eq arrays.head))
  }
}
