package org.apache.spark.sql.eventhubs.planning

import localhub.amqp.fault.{Fault, FaultAction, FaultScope, Occasion}
import org.apache.spark.eventhubs.executor.ExecutorResources
import org.apache.spark.sql.eventhubs.source.StreamFixture
import org.apache.spark.sql.streaming.Trigger
import testkit.{Patience, TestSuite}

/** A partition that delivers nothing, while the others work. */
class PartitionDownSuite extends TestSuite with StreamFixture {

  private val short = Seq("eventhubs.operationTimeout" -> "4s", "eventhubs.receiverIdleTimeout" -> "1ms")
  private val without = Seq("eventhubs.partitions" -> "0", lenient)

  test("a planned batch with a partition that is down is read without it; its events come when it is back, once") {
    val name = newHub(2)
    val checkpoint = newFolder()
    send(name, 8, 6)
    def failing(batch: Long): Unit = throw new IllegalStateException(s"batch $batch fails by intention")
    val broken = start(stream(name, earliest +: short: _*), checkpoint, Trigger.AvailableNow(), failing)
    assertThrows[Exception](broken.query.awaitTermination(Patience.queryMillis))
    eventually("idle links are closed") {
      ExecutorResources.get.evictIdle()
      !localHub.amqp.readers.exists(_.hub == name)
    }
    val scope = FaultScope(hub = Some(name), partition = Some("1"))
    localHub.faults.inject(Fault(FaultAction.Stall, Occasion.Receive, scope))
    try {
      assertSame(readAvailable(stream(name, short ++ without: _*), checkpoint).read, events(0, 0, 8))
      send(name, 2, 0)
      assertSame(readAvailable(stream(name, short ++ without: _*), checkpoint).read, events(0, 8, 10))
    } finally localHub.faults.clear()
    send(name, 1, 1)
    val back = readAvailable(stream(name, short :+ lenient: _*), checkpoint)
    assertSame(back.read, events(0, 10, 11) ++ events(1, 0, 7))
    assert(back.metrics("lostEvents") == "0")
  }
}
