package benchmarks.harness

import benchmarks.server.{HubProcess, SampleEvents}

import testkit.TestSuite

class HubHeapSuite extends TestSuite {

  private def gigabytes(bodyBytes: Int, events: Long): Int =
    HubHeap.gigabytes(Seq(Workload(bodyBytes, 4, events, events)))

  test("the hub counts no more for an event than the harness expects") {
    val few = Workload(100, 1, 20000, 20000)
    val hub = new HubProcess(heapGigabytes = 1)
    try {
      hub.create("counted", few.partitions)
      SampleEvents.sendToHub(hub, few, "counted")
      // What MemoryBudget adds to the bytes of each event.
      val counted = hub.retainedBytes("counted") / few.events + 24
      assert(counted > 100 && counted <= few.bodyBytes + HubHeap.BytesAround)
    } finally hub.close()
  }

  test("the events of a long stream fit into the part of the heap that the hub uses for them") {
    assert(gigabytes(100, 22000000L) * 0.7 * (1 << 30) > 22000000L * (100 + HubHeap.BytesAround))
    assert(gigabytes(10240, 440000L) * 0.7 * (1 << 30) > 440000L * (10240 + HubHeap.BytesAround))
  }

  test("a small workload gets the usual heap") {
    assert(gigabytes(100, 1000) == 5)
  }
}
