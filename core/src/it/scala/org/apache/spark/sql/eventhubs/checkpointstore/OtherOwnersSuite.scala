package org.apache.spark.sql.eventhubs.checkpointstore

import localhub.amqp.fault.{Fault, FaultAction, FaultScope, Occasion}
import testkit.TestSuite

/** A stream that owns its partitions meets other owners. */
class OtherOwnersSuite extends TestSuite with OwningStreams {

  test("an active owner of one partition: fail is refused and claims nothing, and its link is left alone") {
    val name = newHub(2)
    val container = newContainer()
    // Spark may take longer to start than the short leases of the other tests.
    val longLived = owning(container, "fail").toMap + ("eventhubs.checkpointStore.ownershipExpiration" -> "60s")
    seize(container, name, 1, "processor-7")
    val error = failureOf(stream(name, longLived.toSeq: _*))
    assert(error.getCondition == "EVENTHUBS_OWNERSHIP.HELD" && error.getMessage.contains("owned by 'processor-7'"))
    assert(owners(container, name) == Map(1 -> "processor-7"))
  }

  test("a restart whose answers leave out the partition of another owner does not read it") {
    val name = newHub(2)
    val (container, checkpoint) = (newContainer(), newFolder())
    send(name, 3, 3)
    readAvailable(stream(name, earliest +: owning(container, "fail"): _*), checkpoint)
    send(name, 2, 2)
    seize(container, name, 1, "processor-7")
    localHub.faults.inject(Fault(FaultAction.FewerPartitions(1), Occasion.ManageHub, FaultScope(hub = Some(name))))
    try {
      val error = failureOf(stream(name, owning(container, "fail"): _*), checkpoint)
      assert(error.getCondition == "EVENTHUBS_OWNERSHIP.HELD" && error.getMessage.contains("owned by 'processor-7'"))
    } finally localHub.faults.clear()
  }

  test("wait: starts at the other owner's last checkpoint when it releases") {
    val name = newHub(1)
    val container = newContainer()
    send(name, 10)
    val longLived = owning(container, "wait").toMap + ("eventhubs.checkpointStore.ownershipExpiration" -> "30s")
    seize(container, name, 0, "processor-7")
    running(stream(name, longLived.toSeq: _*)) { started =>
      eventually("it waits")(started.query.isActive && started.read.isEmpty)
      putCheckpoint(container, name, 0, "sequencenumber" -> "6", "offset" -> "0")
      seize(container, name, 0, "")
      eventually("it reads")(started.read.size == 3)
      assertSame(started.read, events(0, 7, 10))
    }
  }

  test("the lease of an owner that was killed is claimed when it has expired") {
    val name = newHub(1)
    val container = newContainer()
    send(name, 4)
    seize(container, name, 0, "killed")
    running(stream(name, owning(container, "wait"): _*)) { started =>
      eventually("it reads")(started.read.size == 4)
      assert(owners(container, name)(0).startsWith("spark-"))
    }
  }

  test("wait: a loss stops the query, and a restart takes all back and skips what the other owner has processed") {
    val name = newHub(2)
    val (container, checkpoint) = (newContainer(), newFolder())
    val longLived = owning(container, "wait").toMap + ("eventhubs.checkpointStore.ownershipExpiration" -> "20s")
    send(name, 5, 5)
    running(stream(name, longLived.toSeq: _*), checkpoint) { started =>
      assertSame(started.catchUp(), firstEvents(5, 5))
      seize(container, name, 1, "processor-7")
      eventually("it stops")(!started.query.isActive)
      val error = started.failure()
      assert(error.getCondition == "EVENTHUBS_OWNERSHIP.LOST")
      assert(error.getMessage.contains("partition 1 was lost: 'processor-7' has claimed it"))
    }
    assert(owners(container, name) == Map(0 -> "", 1 -> "processor-7"))
    send(name, 3, 4)
    running(stream(name, longLived.toSeq: _*), checkpoint) { restarted =>
      eventually("it waits")(restarted.query.isActive && restarted.read.isEmpty)
      putCheckpoint(container, name, 1, "sequencenumber" -> "7", "offset" -> "0")
      seize(container, name, 1, "")
      eventually("it reads on")(restarted.read.size >= 4)
      assertSame(restarted.read, events(0, 5, 8) ++ events(1, 8, 9))
      eventually("it publishes")(published(container, name) == Map(0 -> 7L, 1 -> 8L))
    }
  }

  test("of two queries of one consumer group, the second is refused, or waits until the first has stopped") {
    val name = newHub(2)
    val container = newContainer()
    send(name, 3, 3)
    running(stream(name, owning(container, "fail"): _*)) { first =>
      first.catchUp()
      val refused = failureOf(stream(name, owning(container, "fail"): _*))
      assert(refused.getCondition == "EVENTHUBS_OWNERSHIP.HELD" && refused.getMessage.contains(first.query.id.toString))
      running(stream(name, owning(container, "wait"): _*)) { second =>
        send(name, 2)
        assertSame(first.catchUp(), firstEvents(5, 3))
        first.stop()
        send(name, 0, 4)
        eventually("the second reads")(second.read.size == 4)
        assertSame(second.read, events(1, 3, 7))
      }
    }
  }

  test("a torn ownership blob and a missing container are errors that name them") {
    val name = newHub(1)
    val container = newContainer()
    putTorn(container, name, 0)
    val torn = failureOf(stream(name, owning(container, "fail"): _*))
    assert(torn.getCondition == "EVENTHUBS_OWNERSHIP.MALFORMED")
    assert(torn.getMessageParameters.get("blob") == s"$namespace/$name/$$default/ownership/0")
    val missing = failureOf(stream(name, owning("no-such-container", "fail"): _*))
    assert(missing.getCondition == "EVENTHUBS_CHECKPOINT_STORE.NOT_FOUND")
    assert(missing.getMessage.contains("no-such-container"))
  }
}
