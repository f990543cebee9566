package org.apache.spark.eventhubs.ownership

import java.time.Duration

import org.apache.spark.util.SystemClock
import testkit.TestSuite

class OwnershipRenewalSuite extends TestSuite {

  test("the partitions of a query that has ended without closing its source are released") {
    val clock = new SystemClock
    val store = new MemoryOwnershipStore(clock)
    val owned = new OwnedPartitions(store, OwnerId("spark-a", "run"), expirationMillis = 60000, clock)
    assert(owned.claim(Set(0)).isEmpty)
    val renewal = new OwnershipRenewal(owned, Duration.ofMillis(10), () => false)
    try eventually("it is not released")(store.owners == Map(0 -> ""))
    finally renewal.close()
  }
}
