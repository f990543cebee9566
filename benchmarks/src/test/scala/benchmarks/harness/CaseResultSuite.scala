package benchmarks.harness

import testkit.TestSuite

final class CaseResultSuite extends TestSuite {

  private val workload = Workload(1000, 4, 100000, 50000)

  private def pass(seconds: Double, others: Double = 0): Pass = Pass(
    ResourceUsage(
      100000,
      seconds,
      cpuSeconds = 0.4,
      allocatedBytes = 200000000,
      peakRssBytes = 700000000,
      Seq(Map("addBatch" -> 40L)),
      jitSeconds = seconds / 5,
      lastBatchMillis = Some(250)
    ),
    serverCpuSeconds = 0.1,
    otherCores = others
  )

  test("a case becomes one JSON object with all fields of the results") {
    val json = CaseResult(Contender.OurStreamV1, workload, Seq(pass(0.5), pass(1.0), pass(2.0))).json
    assert(json("name").str == "stream-read" && json("system").str == "spark-eventhubs")
    assert(json("apiVersion").str == "v1")
    assert(json("bodyBytes").num == 1000 && json("partitions").num == 4)
    assert(json("eventsPerSecond").num == 100000)
    assert(json("megabytesPerSecond").num == 100)
    assert(json("cpuMicrosPerEvent").num == 4)
    assert(json("serverCpuMicrosPerEvent").num == 1)
    assert(json("allocatedBytesPerEvent").num == 2000)
    assert(json("peakRssBytes").num == 700000000)
    assert(json("spread").num == 1.5)
    assert(json("microBatchMillis")("addBatch").num == 40 && json("lastMicroBatchMillis").num == 250)
    assert(json("jitShare").num == 0.2)
  }

  test("a case without an API version, a sink or micro-batches has null in these fields") {
    val json = CaseResult(Contender.SdkReceive, workload, Seq(pass(1.0))).json
    assert(json("apiVersion").isNull && json("sink").isNull && json("eventsPerBatch").isNull)
  }

  test("a case with passes under other load counts only the quiet passes") {
    val passes = Seq(pass(1.0), pass(1.0), pass(1.0), pass(4.0, others = 1.5))
    val json = CaseResult(Contender.OurBatchRead, workload, passes).json
    assert(json("passes").num == 4 && json("quietPasses").num == 3)
    assert(json("eventsPerSecond").num == 100000 && json("spread").num == 0)
    assert(json("eventsPerSecondOfPasses").arr.size == 4)
  }

  test("no plan measures the same case twice") {
    Seq("quick", "full").flatMap(Plan.named).foreach { plan =>
      val reads = plan.reads.flatMap { case (workload, contenders) => contenders.map(_ -> workload) }
      assert(reads.distinct.size == reads.size)
      assert(plan.reads.exists(_._1 == plan.main), "the results of cold and idle queries belong to this case")
    }
  }
}
