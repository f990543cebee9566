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

  test("a call of the store waits no longer than the pause between two renewals, and long enough for a slow store") {
    def longest(expiration: Long, operationTimeout: Long): Duration =
      OwnershipRenewal.longestCall(Duration.ofSeconds(expiration), Duration.ofSeconds(operationTimeout))
    assert(longest(expiration = 120, operationTimeout = 60) == Duration.ofSeconds(20))
    assert(longest(expiration = 120, operationTimeout = 10) == Duration.ofSeconds(10))
    assert(longest(expiration = 4, operationTimeout = 60) == Duration.ofSeconds(5))
  }
}
