package benchmarks.harness

import org.scalatest.funsuite.AnyFunSuite

final class MessagesSuite extends AnyFunSuite {

  private val workload =
    Workload(1024, 4, 600000, 200000, Content.PropertiesAndKeys, Sink.Parquet)

  test("a request arrives at the worker as it was sent") {
    Task.all.foreach { task =>
      val request =
        Request(task, "Endpoint=sb://localhost:5672;SharedAccessKeyName=a;SharedAccessKey=b", "hub-1", workload)
      assert(Request.parse(ujson.read(ujson.write(request.json))) == request)
    }
  }

  test("an answer arrives at the harness as it was sent") {
    val used = Used(600000, 1.25, 2.5, 3L << 33, 5L << 30, Seq(Map("addBatch" -> 200L, "walCommit" -> 30L), Map.empty))
    assert(Used.parse(ujson.read(ujson.write(used.json))) == used)
    val going = used.copy(jitSeconds = 0.3, going = Some((400000L, 0.5)), lastBatchMillis = Some(90))
    assert(Used.parse(ujson.read(ujson.write(going.json))) == going)
  }

  test("a stream's rate is that of the micro-batches that count") {
    val used = Used(600000, 2.0, 2.5, 0, 0, Nil)
    assert(used.eventsPerSecond == 300000)
    assert(used.copy(going = Some((400000L, 0.5))).eventsPerSecond == 800000)
  }

  test("every lane can be named to a worker, and no other") {
    (Lane.reads ++ Lane.writes).foreach(lane => assert(Lane.parse(lane.argument) == lane))
    assert(intercept[IllegalArgumentException](Lane.parse("sdk/stream-read")).getMessage.contains("sdk/receive"))
  }

  test("events that cannot be divided evenly over the partitions are refused") {
    assertThrows[IllegalArgumentException](Workload(100, 32, 1001, 100))
  }
}
