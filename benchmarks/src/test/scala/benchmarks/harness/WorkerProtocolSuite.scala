package benchmarks.harness

import testkit.TestSuite

final class WorkerProtocolSuite extends TestSuite {

  private val workload =
    Workload(1024, 4, 600000, 200000, Content.PropertiesAndKeys, Sink.Parquet)

  test("a request survives the round trip through JSON") {
    Task.all.foreach { task =>
      val request =
        Request(task, "Endpoint=sb://localhost:5672;SharedAccessKeyName=a;SharedAccessKey=b", "hub-1", workload)
      assert(Request.parse(ujson.read(ujson.write(request.json))) == request)
    }
  }

  test("an answer survives the round trip through JSON") {
    val usage =
      ResourceUsage(600000, 1.25, 2.5, 3L << 33, 5L << 30, Seq(Map("addBatch" -> 200L, "walCommit" -> 30L), Map.empty))
    assert(ResourceUsage.parse(ujson.read(ujson.write(usage.json))) == usage)
    val steady = usage.copy(jitSeconds = 0.3, steady = Some((400000L, 0.5)), lastBatchMillis = Some(90))
    assert(ResourceUsage.parse(ujson.read(ujson.write(steady.json))) == steady)
  }

  test("the rate of a stream is the rate of its counted micro-batches") {
    val usage = ResourceUsage(600000, 2.0, 2.5, 0, 0, Nil)
    assert(usage.eventsPerSecond == 300000)
    assert(usage.copy(steady = Some((400000L, 0.5))).eventsPerSecond == 800000)
  }

  test("a worker accepts the argument of every contender and rejects any other") {
    (Contender.reads ++ Contender.writes).foreach(contender => assert(Contender.parse(contender.argument) == contender))
    assert(intercept[IllegalArgumentException](Contender.parse("sdk/stream-read")).getMessage.contains("sdk/receive"))
  }

  test("a workload whose events cannot be divided evenly over the partitions is rejected") {
    assertThrows[IllegalArgumentException](Workload(100, 32, 1001, 100))
  }
}
