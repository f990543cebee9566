package benchmarks.harness

import org.scalatest.funsuite.AnyFunSuite

final class CaseResultSuite extends AnyFunSuite {

  private val workload = Workload(1000, 4, 100000, 50000)

  private def pass(seconds: Double, others: Double = 0): Pass = Pass(
    Used(
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

  test("a case is one object with the fields that were agreed on") {
    val json = CaseResult(Lane.OurStreamV1, workload, Seq(pass(0.5), pass(1.0), pass(2.0))).json
    assert(json("name").str == "stream-read" && json("system").str == "spark-eventhubs" && json("face").str == "v1")
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

  test("a case without a face, a sink or micro-batches says so") {
    val json = CaseResult(Lane.SdkReceive, workload, Seq(pass(1.0))).json
    assert(json("face").isNull && json("sink").isNull && json("eventsPerBatch").isNull)
  }

  test("a case under outside load shows it, and counts its quiet passes only") {
    val passes = Seq(pass(1.0), pass(1.0), pass(1.0), pass(4.0, others = 1.5))
    val json = CaseResult(Lane.OurBatchRead, workload, passes).json
    assert(json("passes").num == 4 && json("quietPasses").num == 3)
    assert(json("eventsPerSecond").num == 100000 && json("spread").num == 0)
    assert(json("eventsPerSecondOfPasses").arr.size == 4)
  }

  test("no plan measures the same case twice") {
    Seq(Plan.quick, Plan.complete).foreach { plan =>
      val reads = plan.reads.flatMap { case (workload, lanes) => lanes.map(_ -> workload) }
      assert(reads.distinct.size == reads.size)
      assert(plan.reads.exists(_._1 == plan.main), "what is measured cold and idle is reported with this case")
    }
  }
}
