package org.apache.spark.eventhubs.receive

import org.apache.spark.eventhubs.TestSettings
import org.apache.spark.eventhubs.connection.FakeHub
import org.apache.spark.eventhubs.executor.ExecutorResources
import org.apache.spark.util.ManualClock

/** A receiver cache on a hub in memory. */
private[receive] final class ReceiverCacheFixture {

  import ReceiverCacheFixture.{generation, settings}

  val hub = new FakeHub(9)
  hub.partitions.values.foreach(_.latest = 1000)
  val clock = new ManualClock(0L)
  val resources = new ExecutorResources(hub.connect, _ => throw new AssertionError("nothing is written"), clock)
  val cache = resources.receivers

  /** Reads a range as a task does, and gives the receiver back. */
  def read(from: Long, until: Long, partition: Int = 0, fresh: Boolean = false): CachedEventHubsReceiver = {
    val receiver = cache.acquire(settings, partition, generation, from, fresh)
    consume(receiver, until)
    cache.release(receiver)
    receiver
  }

  def consume(receiver: CachedEventHubsReceiver, until: Long): Unit = {
    receiver.startRange(until)
    while (receiver.nextSeqNo < until) assert(receiver.advance(() => false))
  }
}

private[receive] object ReceiverCacheFixture {

  val generation = TestSettings.generation

  val settings =
    TestSettings.stream("eventhubs.receiverIdleTimeout" -> "5 minutes", "eventhubs.maxConnections" -> "2")
}
