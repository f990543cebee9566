package org.apache.spark.sql.eventhubs.checkpointstore

import org.apache.spark.sql.eventhubs.realtime.{RealTimeFixture, RealTimeRows}
import testkit.TestSuite

class RealTimeOwnershipSuite extends TestSuite with RealTimeFixture with OwnershipFixture {

  override protected lazy val namespace: String = localHub.connectionString("x").split("[/:;]")(3)

  test("Real-Time Mode continues after the owner before it, and stops when another one claims a partition") {
    val hub = newHub(2)
    val container = newContainer()
    fill(hub, 0, 0, 5)
    putCheckpoint(container, hub, 0, "sequencenumber" -> "2", "offset" -> "0")
    val query = start("owned", stream(hub, owning(container, "fail"): _*), realTime, newFolder().toString)
    try {
      eventually("the rest came")(RealTimeRows.of("owned").map(_._1).toSet == Set("p0-3", "p0-4"))
      eventually("it is published")(published(container, hub) == Map(0 -> 4L))
      assert(owners(container, hub).values.forall(_.startsWith("spark-")))
      seize(container, hub, 1, "processor-7")
      eventually("it stops")(!query.isActive)
      val causes = Iterator.iterate[Throwable](query.exception.orNull)(_.getCause).takeWhile(_ != null)
      assert(causes.exists(_.toString.contains("EVENTHUBS_OWNERSHIP.LOST")))
    } finally query.stop()
    assert(owners(container, hub) == Map(0 -> "", 1 -> "processor-7"))
  }
}
