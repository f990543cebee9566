package org.apache.spark.sql.eventhubs.checkpointstore

import org.apache.spark.sql.streaming.Trigger
import testkit.TestSuite

/** A stream owns its partitions from its start to its end. */
class OwnershipSuite extends TestSuite with OwningStreams {

  test("claims all partitions, renews them, and releases them when the last checkpoint is in the store") {
    val name = newHub(2)
    val container = newContainer()
    send(name, 5, 3)
    // So long that only the end of the query writes the checkpoint of its second batch.
    val slow = owning(container, "fail").toMap + ("eventhubs.checkpointStore.interval" -> "1h")
    running(stream(name, slow.toSeq: _*)) { started =>
      assertSame(started.catchUp(), firstEvents(5, 3))
      val claimed = ownership(container, name)
      assert(claimed.keySet == Set(0, 1) && claimed.values.forall(_._1.startsWith(s"spark-${started.query.id}-0/")))
      eventually("the ownership is renewed") {
        val now = ownership(container, name)
        now.forall { case (partition, (owner, etag)) =>
          owner == claimed(partition)._1 && etag != claimed(partition)._2
        }
      }
      send(name, 2)
      started.catchUp()
    }
    assert(owners(container, name) == Map(0 -> "", 1 -> ""))
    assert(published(container, name) == Map(0 -> 6L, 1 -> 2L))
  }

  test("fail: a partition that another owner claims stops the query after its last committed batch") {
    val name = newHub(2)
    val container = newContainer()
    send(name, 5, 5)
    val started = start(stream(name, owning(container, "fail"): _*), newFolder(), Trigger.ProcessingTime(0))
    try {
      assertSame(started.catchUp(), firstEvents(5, 5))
      eventually("it is published")(published(container, name) == Map(0 -> 4L, 1 -> 4L))
      seize(container, name, 1, "processor-7")
      eventually("it stops")(!started.query.isActive)
      val error = started.failure()
      assert(error.getCondition == "EVENTHUBS_OWNERSHIP.LOST")
      assert(error.getMessage.contains("partition 1 was lost: 'processor-7' has claimed it"))
    } finally started.stop()
    assert(owners(container, name) == Map(0 -> "", 1 -> "processor-7"))
  }

  test("a restart continues after others, and never publishes its own older position") {
    val name = newHub(1)
    val container = newContainer()
    val checkpoint = newFolder()
    send(name, 5)
    assertSame(readAvailable(stream(name, owning(container, "fail"): _*), checkpoint).read, events(0, 0, 5))
    send(name, 5)
    putCheckpoint(container, name, 0, "sequencenumber" -> "9", "offset" -> "0")
    assertSame(readAvailable(stream(name, owning(container, "fail"): _*), checkpoint).read, Nil)
    assert(published(container, name) == Map(0 -> 9L))
    send(name, 2)
    assertSame(readAvailable(stream(name, owning(container, "fail"): _*), checkpoint).read, events(0, 10, 12))
    assert(published(container, name) == Map(0 -> 11L) && owners(container, name) == Map(0 -> ""))
  }

  test("after a kill, the query is the same owner with its Spark checkpoint, and another one without") {
    val name = newHub(1)
    val container = newContainer()
    val checkpoint = newFolder()
    send(name, 3)
    val first = readAvailable(stream(name, owning(container, "fail"): _*), checkpoint)
    val longLived = owning(container, "fail").toMap + ("eventhubs.checkpointStore.ownershipExpiration" -> "1h")
    // What a driver leaves behind that had no time to release.
    val killed = s"spark-${first.query.id}-0/killed"
    seize(container, name, 0, killed)
    send(name, 2)
    val refused = failureOf(stream(name, longLived.toSeq: _*))
    assert(refused.getCondition == "EVENTHUBS_OWNERSHIP.HELD" && refused.getMessage.contains(killed))
    assertSame(readAvailable(stream(name, longLived.toSeq: _*), checkpoint).read, events(0, 3, 5))
    assert(owners(container, name) == Map(0 -> ""))
  }
}
