package org.apache.spark.eventhubs.connection

import java.time.Duration

import org.apache.spark.eventhubs.TestSettings
import org.apache.spark.util.ManualTime
import testkit.TestSuite

class ManagementRateLimiterSuite extends TestSuite {

  private class Fixture(perSecond: Option[Int] = Some(ManagementRateLimiter.PerSecond)) {
    val time = new ManualTime
    val limiter = new ManagementRateLimiter(perSecond, time, () => 0.5)

    /** When the next question starts. */
    def turnMillis(): Long = time.millis + limiter.nanosToTurn() / 1000000
  }

  private def mostInASecond(starts: Seq[Long]): Int =
    starts.map(from => starts.count(start => start >= from && start < from + 1000)).max

  test("questions that are asked at the same moment never start faster than 40 a second") {
    val f = new Fixture
    val starts = Seq.fill(1024)(f.turnMillis())
    assert(mostInASecond(starts) == 40)
    assert(starts.take(40).forall(_ == 0), "a small hub is answered at once")
    assert(starts.last < 26000 && starts == starts.sorted)
  }

  test("64 tasks that ask two questions every 3 seconds in step stay below the service's 50 a second") {
    val f = new Fixture
    val starts = (0 until 10).flatMap { round =>
      f.time.millis = round * 3000L
      Seq.fill(128)(f.turnMillis())
    }
    assert(mostInASecond(starts) <= 40)
  }

  /** When the next routine question starts, if no other question is asked meanwhile. */
  private def routineMillis(f: Fixture): Long = f.time.millis + f.limiter.nanosToRoutineTurn() / 1000000

  test("routine questions start 10 in a second, in the order in which they are asked") {
    val f = new Fixture
    val starts = Seq.fill(100)(routineMillis(f))
    assert(mostInASecond(starts) == 10 && starts == starts.sorted && starts.head == 0)
  }

  test("a start with 264 questions does not wait for the routine of a thousand partitions") {
    val f = new Fixture
    Seq.fill(1024)(routineMillis(f))
    assert(Seq.fill(264)(f.turnMillis()).last < 7000)
    assert(routineMillis(f) >= 7000 - 1000, "and the routine waits")
  }

  test("a routine question takes its turn only when no other question waits") {
    val f = new Fixture
    Seq.fill(60)(f.turnMillis())
    assert(f.limiter.nanosToFreeTurn() > 0)
    f.time.advance(Duration.ofSeconds(3))
    assert(f.limiter.nanosToFreeTurn() == 0)
  }

  test("a routine question gets a turn after ten seconds, though others ask without end") {
    val f = new Fixture
    val asked = f.time.nanoTime()
    val due = for (second <- 0 to 20) yield {
      f.time.millis = second * 1000L
      Seq.fill(80)(f.turnMillis())
      f.limiter.isRoutineDue(asked)
    }
    assert(due.indexOf(true) == 10 && due.drop(10).forall(identity))
  }

  test("routine questions wait after a refusal, as all others do") {
    val f = new Fixture
    f.limiter.refused()
    assert(routineMillis(f) >= 4000)
  }

  test("a pause of a second makes room for as many questions again") {
    val f = new Fixture
    val starts = Seq(0L, 300L, 999L, 1000L, 1001L, 2500L).flatMap { now =>
      f.time.millis = now
      Seq.fill(20)(f.turnMillis())
    }
    assert(mostInASecond(starts) <= 40)
    assert(starts.takeRight(20).forall(_ < 3500))
  }

  test("after a refusal all questions wait, then come at half the rate, which grows again") {
    val f = new Fixture
    Seq.fill(10)(f.turnMillis())
    f.limiter.refused()
    // Those of the same moment are refused too, and are no further reason.
    f.limiter.refused()
    val starts = Seq.fill(100)(f.turnMillis())
    assert(starts.head >= 4000 && mostInASecond(starts) == 20)
    f.time.millis = 60000
    assert(mostInASecond(Seq.fill(100)(f.turnMillis())) == 40)
  }

  test("refusals that follow each other slow the questions down to a few a second, not to a stop") {
    val f = new Fixture
    for (_ <- 0 to 10) {
      f.time.advance(Duration.ofSeconds(6))
      f.turnMillis()
      f.limiter.refused()
    }
    assert(mostInASecond(Seq.fill(50)(f.turnMillis())) == 5)
  }

  test("a hub on the same machine is asked at any rate, until it refuses") {
    val f = new Fixture(perSecond = None)
    assert(Seq.fill(2000)(f.turnMillis()).forall(_ == 0))
    f.limiter.refused()
    assert(f.turnMillis() >= 4000)
  }

  test("all clients of a namespace have one limiter, those of other namespaces another") {
    val limits = new ManagementRateLimits(new ManualTime)
    def of(namespace: String, hub: String) = limits.of(
      TestSettings.stream(
        "eventhubs.connectionString" ->
          s"Endpoint=sb://$namespace.servicebus.windows.net/;SharedAccessKeyName=a;SharedAccessKey=b;EntityPath=$hub"
      ).connection
    )
    assert(of("one", "x") eq of("one", "y"))
    assert(of("one", "x") ne of("two", "x"))
  }
}
