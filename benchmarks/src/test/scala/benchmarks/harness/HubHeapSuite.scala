package benchmarks.harness

import testkit.TestSuite

class HubHeapSuite extends TestSuite {

  private def gigabytes(bodyBytes: Int, events: Long): Int =
    HubHeap.gigabytes(Seq(Workload(bodyBytes, 4, events, events)))

  test("the events of a long stream fit into the part of the heap that the hub uses for them") {
    // As counted by the hub: 22,000,000 events of 100 B had no room in 70 % of 5 GB.
    assert(gigabytes(100, 22000000L) * 0.7 * (1 << 30) > 22000000L * 180)
    assert(gigabytes(10240, 440000L) * 0.7 * (1 << 30) > 440000L * (10240 + 80))
  }

  test("a small workload gets the usual heap") {
    assert(gigabytes(100, 1000) == 5)
  }
}
