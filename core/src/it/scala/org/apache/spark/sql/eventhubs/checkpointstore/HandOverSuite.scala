package org.apache.spark.sql.eventhubs.checkpointstore

import org.apache.spark.sql.streaming.Trigger
import testkit.TestSuite

/** Streams and the official event processor for Java take turns in one consumer group. */
class HandOverSuite extends TestSuite with OwningStreams {

  private def processor(name: String, container: String): JavaProcessor =
    new JavaProcessor(localHub.connectionString(name), storageConnectionString, container)

  test("processor, stream, processor, stream: each event is processed once") {
    val name = newHub(2)
    val container = newContainer()
    val checkpoint = newFolder()
    send(name, 10, 6)
    val first = processor(name, container)
    first.start()
    try eventually(s"the processor reads; ${first.errors}")(first.read.size == 16)
    finally first.stop()
    send(name, 5, 5)
    val second = readAvailable(stream(name, owning(container, "wait"): _*), checkpoint)
    assertSame(second.read, events(0, 10, 15) ++ events(1, 6, 11))
    send(name, 3, 0)
    val third = processor(name, container)
    third.start()
    try eventually(s"the processor reads on; ${third.errors}")(third.read.size >= 3)
    finally third.stop()
    assertSame(third.read, events(0, 15, 18))
    send(name, 1, 1)
    val fourth = readAvailable(stream(name, owning(container, "wait"): _*), checkpoint)
    assertSame(fourth.read, events(0, 18, 19) ++ events(1, 11, 12))
  }

  test("a processor that starts while the stream runs takes partitions; the stream stops with an error") {
    val name = newHub(2)
    val container = newContainer()
    send(name, 4, 4)
    val started = start(stream(name, owning(container, "fail"): _*), newFolder(), Trigger.ProcessingTime(0))
    val other = processor(name, container)
    try {
      assertSame(started.catchUp(), firstEvents(4, 4))
      other.start()
      eventually(s"the stream stops; ${other.errors}")(!started.query.isActive)
      assert(started.failure().getCondition == "EVENTHUBS_OWNERSHIP.LOST")
      send(name, 2, 2)
      eventually(s"the processor has all partitions; ${other.errors}") {
        Set(0, 1).forall(partition => other.read.exists(seen => seen.partition == partition && seen.seqNo == 5))
      }
    } finally {
      started.stop()
      other.stop()
    }
    assertSame((started.read ++ other.read).distinct, firstEvents(6, 6))
  }
}
