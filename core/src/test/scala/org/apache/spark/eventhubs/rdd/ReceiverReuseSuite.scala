package org.apache.spark.eventhubs.rdd

import org.apache.spark.eventhubs.NameAndPartition
import org.apache.spark.storage.BlockManagerId
import testkit.TestSuite

class ReceiverReuseSuite extends TestSuite {

  private val range = OffsetRange(NameAndPartition("hub", 0), 0, 10)
  private val driver = BlockManagerId("driver", "a-host", 7)
  private val executor = BlockManagerId("3", "a-host", 7)

  test("where driver and tasks share a JVM, a receiver is kept if a later range continues with it") {
    assert(ReceiverReuse.keepsReceiverOf(range, driver))
    assert(!ReceiverReuse.keepsReceiverOf(range.copy(isFollowed = false), driver))
  }

  test("an executor keeps the receivers of its own partitions") {
    val own = range.copy(preferredLocation = Some("executor_a-host_3"))
    assert(ReceiverReuse.keepsReceiverOf(own, executor))
    assert(!ReceiverReuse.keepsReceiverOf(own.copy(isFollowed = false), executor))
  }

  test("an executor keeps no receiver of a partition with another preferred location, or none") {
    val others = Seq("executor_a-host_33", "executor_b-host_3").map(Some(_)) :+ None
    others.foreach(place => assert(!ReceiverReuse.keepsReceiverOf(range.copy(preferredLocation = place), executor)))
  }
}
