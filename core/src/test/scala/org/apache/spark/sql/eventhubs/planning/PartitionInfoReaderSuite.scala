package org.apache.spark.sql.eventhubs.planning

import java.util.concurrent.atomic.AtomicLong
import java.util.concurrent.{CountDownLatch, Executor, TimeUnit}

import scala.util.Try

import org.apache.spark.eventhubs.connection.{FakePartition, SdkFailures}
import org.apache.spark.eventhubs.generation.HubGeneration
import org.apache.spark.eventhubs.service.Known
import org.apache.spark.eventhubs.{EventHubsException, TestSettings}
import testkit.TestSuite

class PartitionInfoReaderSuite extends TestSuite {

  import PartitionInfoReaderFixture.Fixture

  test("all partitions are in a snapshot") {
    assert(new Fixture(4).info.snapshot().bounds.keySet == Set(0, 1, 2, 3))
  }

  test("the calls of one trigger share one answer, which expires after a moment") {
    val f = new Fixture(4)
    f.info.snapshot()
    f.clock.advance(100)
    f.info.snapshot()
    assert(f.hub.boundsCalls == 1)
    f.clock.advance(1000)
    f.info.snapshot()
    assert(f.hub.boundsCalls == 2)
  }

  test("planning a hub of 1,024 partitions takes 10 calls a second, and asks about each every two minutes") {
    val f = new Fixture(1024)
    f.plan()
    val minutes = 10
    val first = f.calls
    val ages = for (_ <- 1 to minutes * 60 * 20) yield {
      f.clock.advance(50)
      f.plan()
      f.age
    }
    assert((f.calls - first) / (minutes * 60.0) < 10.5)
    assert(ages.max < 120000)
  }

  test("a caller that comes more often than a round, and rarely, asks about what has become due since") {
    val f = new Fixture(1024)
    f.plan()
    val first = f.calls
    val ages = for (_ <- 1 to 30) yield {
      f.clock.advance(60000)
      f.plan()
      f.age
    }
    assert((f.calls - first) / (30 * 60.0) <= 10)
    assert(ages.max <= 180000)
  }

  test("a state is planned with while a part of it is asked about") {
    val f = new Fixture(4)
    f.plan()
    f.hub.partitions(0).latest = 7
    f.clock.advance(300)
    assert(f.end == 0 && f.hub.boundsCalls == 1)
    f.clock.advance(200)
    assert(f.end == 7 && f.hub.stateCalls == 1)
  }

  test("who comes more rarely than a round of questions takes waits for the answer") {
    val f = new SlowFixture
    f.clock.advance(60000)
    val found = new AtomicLong
    val waiting = new Thread(() => found.set(f.end))
    waiting.start()
    eventually("it waits")(waiting.getState == Thread.State.TIMED_WAITING)
    f.answer()
    waiting.join(60000)
    assert(found.get == 7)
  }

  test("a stream that is behind does not wait, however rarely it comes") {
    val f = new SlowFixture
    f.clock.advance(60000)
    assert(f.info.recentSnapshot(_ => true).bounds(0).latest == 0)
  }

  test("an answer to an earlier question about the hub replaces none to a later one") {
    val f = new Fixture(4)
    f.plan()
    f.clock.advance(10)
    val other = f.another()
    val late = f.another()
    var isFirst = true
    // While one query waits for its answer, another one asks, and gets a newer answer first.
    f.hub.onAnswer = () =>
      if (isFirst) {
        isFirst = false
        f.clock.advance(10)
        f.hub.partitions(0).latest = 7
        assert(late.newestSnapshot().bounds(0).latest == 7)
      }
    assert(other.snapshot().bounds(0).latest == 7 && f.end == 7)
  }

  test("AvailableNow asks, whatever is known") {
    val f = new Fixture(4)
    f.plan()
    f.hub.partitions(0).latest = 7
    assert(f.info.newestSnapshot().bounds(0).latest == 7)
  }

  /** Routine questions are asked in another thread, and wait until the test lets them be answered. */
  private class SlowFixture extends Fixture(4) {
    private val mayAnswer = new CountDownLatch(1)
    @volatile var hasStopped = false
    @volatile private var asking = Option.empty[Thread]
    override protected def background: Executor = work => {
      asking = Some(new Thread(work))
      asking.foreach(_.start())
    }
    def isAsking: Boolean = asking.exists(_.isAlive)
    plan()
    hub.partitions(0).latest = 7
    hub.onQuestion = () =>
      try {
        val _ = mayAnswer.await(60, TimeUnit.SECONDS)
      } catch {
        case stopped: InterruptedException =>
          hasStopped = true
          throw stopped
      }
    def answer(): Unit = mayAnswer.countDown()

    def ask(): Unit = {
      Seq(300, 200).foreach { millis =>
        clock.advance(millis.toLong)
        plan()
      }
      eventually("it is asked")(hub.stateCalls == 1)
    }
  }

  test("a question is under way once") {
    val f = new SlowFixture
    f.ask()
    f.clock.advance(100)
    assert(f.end == 0 && f.hub.stateCalls == 1)
    f.answer()
    eventually("the answer has come")(f.end == 7)
    assert(f.hub.stateCalls == 1)
  }

  test("an answer that is older than the one to a doubt does not count") {
    val f = new SlowFixture
    f.ask()
    f.hub.onQuestion = () => ()
    f.clock.advance(100)
    val known = f.plan()
    val found = f.info.confirmed(known, _ => Map(0 -> Known(7)))
    assert(found.bounds(0).latest == 7)
    f.hub.partitions(0).latest = 3
    f.answer()
    eventually("the answer has come")(!f.isAsking)
    assert(f.end == 7)
  }

  test("a question that is under way ends when the reader closes") {
    val f = new SlowFixture
    f.ask()
    f.info.close()
    eventually("the thread waits no more")(f.hasStopped)
  }

  test("a hub that is missing is noticed by a routine question, and the next caller gets the failure") {
    val f = new Fixture(4)
    f.plan()
    f.hub.unanswered = Some(SdkFailures.notFound)
    for (millis <- Seq(300L, 200L)) {
      f.clock.advance(millis)
      assert(Try(f.plan()).isSuccess)
    }
    assert(intercept[EventHubsException](f.plan()).getCondition == "EVENTHUBS_NOT_FOUND")
    f.hub.unanswered = None
    assert(f.end == 0)
  }

  test("while the service is busy a stream reads the events that come, and otherwise waits for an answer") {
    val f = new Fixture(4)
    val generation = HubGeneration.CreatedAt(f.hub.createdAt)
    f.plan()
    f.hub.unanswered = Some(SdkFailures.busy)
    for (next <- 1 to 1000) {
      f.clock.advance(450)
      f.info.prove(generation, Map(0 -> next.toLong))
      assert(f.end == next)
    }
    val failures = for (_ <- 1 to 150) yield {
      f.clock.advance(450)
      Try(f.plan()).isFailure
    }
    assert(!failures.head && failures.last)
  }

  test("a partition that does not answer delays no other one, and is named when it stays silent") {
    for (partitions <- Seq(16, 128)) {
      val f = new Fixture(partitions)
      val generation = HubGeneration.CreatedAt(f.hub.createdAt)
      f.plan()
      f.hub.failing += 7 -> SdkFailures.busy
      f.hub.partitions(8).latest = 7
      val triggers = Iterator.from(1).map { number =>
        f.clock.advance(450)
        f.info.prove(generation, Map(1 -> number.toLong))
        Try(f.plan())
      }.take(600).toSeq
      val noticed = triggers.indexWhere(_.toOption.exists(_.bounds(8).latest == 7))
      val failed = triggers.indexWhere(_.isFailure)
      assert(noticed >= 0 && noticed * 450 < 30000 && failed * 450 > 60000 && failed * 450 < 200000)
      assert(triggers(failed).failed.get.getMessage.contains("partition 7"))
    }
  }

  test("several queries of a hub share one question and one answer") {
    val f = new Fixture(32)
    val others = Seq.fill(7)(f.another())
    f.plan()
    val before = f.calls
    for (_ <- 1 to 200) {
      f.clock.advance(50)
      f.plan()
      others.foreach(_.recentSnapshot())
    }
    assert(f.calls - before <= 100, "10 a second, for all")
  }

  test("the hubs of a namespace share the pace of routine questions") {
    val f = new Fixture(32)
    assert(f.known.pace(TestSettings.stream().connection).roundMillis == 100)
    f.plan()
    val other = f.another("eventhubs.partitions" -> "0,1")
    other.snapshot()
    assert(f.known.pace(TestSettings.stream().connection).roundMillis == 3600)
    other.close()
    assert(f.known.pace(TestSettings.stream().connection).roundMillis == 3300)
  }

  test("a hub that nobody has looked at for minutes has no part in the pace") {
    val f = new Fixture(32)
    f.plan()
    f.another("eventhubs.partitions" -> "0,1").snapshot()
    f.clock.advance(9 * 60 * 1000L)
    f.plan()
    f.clock.advance(60 * 1000L)
    assert(f.known.pace(TestSettings.stream().connection).roundMillis == 3300)
  }

  test("a question that could not be given to a thread is asked later") {
    var threads = false
    val f = new Fixture(4) {
      override protected def background: Executor =
        work => if (threads) work.run() else throw new OutOfMemoryError("unable to create native thread")
    }
    f.plan()
    f.hub.partitions(0).latest = 7
    f.clock.advance(300)
    f.plan()
    f.clock.advance(200)
    intercept[OutOfMemoryError](f.plan())
    threads = true
    f.clock.advance(300)
    f.plan()
    f.clock.advance(200)
    assert(f.end == 7)
  }

  test("a query that starts asks, although another one has just asked") {
    val f = new Fixture(4)
    f.plan()
    f.hub.partitions(0).latest = 7
    f.clock.advance(10)
    assert(f.another().snapshot().bounds(0).latest == 7)
    assert(f.end == 7, "and the other one knows its answer")
  }

  test("the positions of each query are checked, although another one has asked") {
    val f = new Fixture(4)
    f.plan()
    val wrong = f.another("eventhubs.startingPositions" -> """{"9": "earliest"}""")
    assert(intercept[EventHubsException](wrong.recentSnapshot()).getCondition == "EVENTHUBS_INVALID_OPTION")
  }

  test("the second query of a hub asks about the hub and its partitions at once") {
    val f = new Fixture(4, "eventhubs.partitions" -> "0,2")
    f.info.snapshot()
    f.info.close()
    val second = f.another("eventhubs.partitions" -> "0,2")
    val states = f.hub.stateCalls
    assert(second.snapshot().bounds.keySet == Set(0, 2))
    assert(f.hub.stateCalls == states + 1 && f.hub.boundsCalls == 2, "one round trip for both questions")
  }

  test("partitions that the hub no longer has are forgotten by the next query") {
    val f = new Fixture(4)
    f.info.snapshot()
    f.info.close()
    Seq(1, 2, 3).foreach(f.hub.partitions.remove)
    f.hub.partitions(7) = new FakePartition
    val next = f.another()
    assert(next.snapshot().bounds.keySet == Set(0, 7))
  }

  test("added partitions, and a hub recreated with fewer, are in the next snapshot") {
    val f = new Fixture(4)
    assert(f.info.snapshot().bounds.keySet == Set(0, 1, 2, 3))
    f.hub.partitions(4) = new FakePartition
    f.clock.advance(1000)
    assert(f.info.snapshot().bounds.keySet == Set(0, 1, 2, 3, 4))
    Seq(1, 2, 3, 4).foreach(f.hub.partitions.remove)
    f.hub.createdAt = f.hub.createdAt.plusSeconds(60)
    f.clock.advance(1000)
    val snapshot = f.info.snapshot()
    assert(snapshot.bounds.keySet == Set(0) && snapshot.generation.time == f.hub.createdAt)
  }

  test("the partitions outside a chosen subset stay known in later snapshots") {
    val f = new Fixture(4, "eventhubs.partitions" -> "0,2")
    f.info.snapshot()
    f.clock.advance(1000)
    f.hub.partitions(2).latest = 7
    val snapshot = f.info.snapshot()
    assert(snapshot.unread == Set(1, 3) && snapshot.bounds(2).latest == 7)
  }

  test("a snapshot has only the chosen subset of the partitions") {
    assert(new Fixture(8, "eventhubs.partitions" -> "0,2,5-7").info.snapshot().bounds.keySet == Set(0, 2, 5, 6, 7))
  }

  test("a partition that does not exist is refused, with the existing ids") {
    val error = intercept[EventHubsException](new Fixture(4, "eventhubs.partitions" -> "2-5").info.snapshot())
    assert(error.getCondition == "EVENTHUBS_INVALID_OPTION")
    assert(error.getMessage.contains("0 to 3"))
  }

  test("a reader that is closed twice leaves the hub to the others") {
    val f = new Fixture(4)
    val other = f.another()
    other.snapshot()
    f.info.close()
    f.info.close()
    f.known.prove(TestSettings.hub, HubGeneration.CreatedAt(f.hub.createdAt), Map(0 -> Known(7)))
    assert(other.recentSnapshot().bounds(0).latest == 7)
  }

  test("the reader borrows one connection and returns it") {
    val f = new Fixture(2)
    f.info.close()
    f.pool.evictIdle(0)
    assert(f.pool.size == 0)
  }
}
