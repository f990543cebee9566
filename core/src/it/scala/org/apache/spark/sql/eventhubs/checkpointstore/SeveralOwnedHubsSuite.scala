package org.apache.spark.sql.eventhubs.checkpointstore

import org.apache.spark.sql.DataFrame
import testkit.TestSuite

/** A stream owns all partitions of all its hubs, or none. */
class SeveralOwnedHubsSuite extends TestSuite with OwningStreams {

  private def listed(hubs: Seq[String], container: String, mode: String): DataFrame = {
    // So long that no test waits for it.
    val longLived = owning(container, mode).toMap + ("eventhubs.checkpointStore.ownershipExpiration" -> "20s")
    val slow = longLived + ("eventhubs.checkpointStore.interval" -> "1h")
    stream(hubs.head, (slow + ("eventhubs.name" -> hubs.mkString(","))).toSeq: _*)
  }

  test("fail: an owner of one hub's partition is named with its hub, and no other hub stays claimed") {
    val hubs = Seq(newHub(1), newHub(2))
    val container = newContainer()
    seize(container, hubs(1), 1, "processor-7")
    val error = failureOf(listed(hubs, container, "fail"))
    assert(error.getCondition == "EVENTHUBS_OWNERSHIP.HELD")
    assert(error.getMessageParameters.get("hub") == hubs(1) && error.getMessageParameters.get("partition") == "1")
    assert(!owners(container, hubs.head).exists(_._2.nonEmpty))
  }

  test("wait: a loss in one hub stops the query, which releases the others with their checkpoints; a restart resumes") {
    val (one, two) = (newHub(1), newHub(1))
    val hubs = Seq(one, two)
    val (container, checkpoint) = (newContainer(), newFolder())
    send(one, 5)
    send(two, 5)
    running(listed(hubs, container, "wait"), checkpoint) { started =>
      started.catchUp()
      eventually("the first checkpoints are there")(hubs.forall(published(container, _) == Map(0 -> 4L)))
      send(one, 2)
      assert(started.catchUp().size == 12)
      seize(container, two, 0, "processor-7")
      eventually("the query stops")(!started.query.isActive)
      val error = started.failure()
      assert(error.getCondition == "EVENTHUBS_OWNERSHIP.LOST" && error.getMessageParameters.get("hub") == two)
    }
    assert(owners(container, one) == Map(0 -> ""))
    assert(published(container, one) == Map(0 -> 6L), "the next owner of the other hub continues there")
    send(one, 3)
    send(two, 3)
    running(listed(hubs, container, "wait"), checkpoint) { restarted =>
      eventually("it waits")(restarted.query.isActive && restarted.read.isEmpty)
      putCheckpoint(container, one, 0, "sequencenumber" -> "8", "offset" -> "0")
      putCheckpoint(container, two, 0, "sequencenumber" -> "6", "offset" -> "0")
      seize(container, two, 0, "")
      eventually("it reads the rest")(restarted.read.size >= 2)
      // A batch counts as processed when Spark has committed it, which is after its rows were read.
      assertSame(restarted.catchUp(), events(0, 9, 10) ++ events(0, 7, 8))
      assert(hubs.forall(owners(container, _)(0).startsWith("spark-")))
    }
    assert(hubs.forall(owners(container, _) == Map(0 -> "")))
    assert(published(container, one) == Map(0 -> 9L) && published(container, two) == Map(0 -> 7L))
  }
}
