package org.apache.spark.eventhubs.send

import java.lang.ref.WeakReference
import java.time.Duration
import java.util.concurrent.CountDownLatch
import java.util.concurrent.atomic.AtomicInteger

import org.apache.spark.eventhubs.background.{BackgroundThreads, ManualBackground}
import org.apache.spark.util.{ManualTime, SystemClock}
import testkit.TestSuite

/** A task's thread and background threads that take turns. */
class TaskTurnsSuite extends TestSuite {

  private val clock = new ManualTime

  private def using[T](threads: BackgroundThreads)(use: BackgroundThreads => T): T =
    try use(threads)
    finally threads.close()

  test("work that is wanted during the task's turn is done after it") {
    val background = new ManualBackground(clock)
    var done = 0
    val turns = new TaskTurns(background, clock, () => { done += 1; None })
    turns.inTurn {
      turns.wake()
      background.runDue()
      assert(done == 0)
    }
    assert(done == 1)
  }

  test("work is done at its time, and one alarm is enough for what is due later") {
    val background = new ManualBackground(clock)
    var done = 0
    val turns = new TaskTurns(background, clock, () => { done += 1; None })
    turns.inTurn(turns.wakeAt(clock.nanoTime() + 5000000))
    turns.inTurn(turns.wakeAt(clock.nanoTime() + 9000000))
    assert(background.waiting == 1)
    background.pass(Duration.ofMillis(4))
    assert(done == 0)
    background.pass(Duration.ofMillis(1))
    assert(done == 1)
  }

  test("the task's next turn throws what background work failed with, and nothing follows the failure") {
    val background = new ManualBackground(clock)
    val broken = new IllegalStateException("broken")
    var done = 0
    val turns = new TaskTurns(background, clock, () => { done += 1; throw broken })
    turns.wake()
    background.runDue()
    turns.wake()
    background.runDue()
    assert(done == 1)
    assert(intercept[IllegalStateException](turns.inTurn(fail("it has its turn"))) eq broken)
    assert(turns.whole(7) == 7)
  }

  test("after the end nothing is done") {
    val background = new ManualBackground(clock)
    var done = 0
    val turns = new TaskTurns(background, clock, () => { done += 1; None })
    turns.inTurn(turns.wakeAt(clock.nanoTime() + 1000))
    turns.end()
    turns.wake()
    background.pass(Duration.ofMillis(1))
    assert(done == 0)
  }

  test("an alarm that is left after the end keeps nothing of the task") {
    val background = new ManualBackground(clock)
    def ended(): WeakReference[Array[Byte]] = {
      val batches = new Array[Byte](1000)
      val turns = new TaskTurns(background, clock, () => Some(clock.nanoTime() + batches.length))
      turns.inTurn(turns.wakeAt(clock.nanoTime() + 60000000000L))
      turns.end()
      new WeakReference(batches)
    }
    val task = ended()
    eventually("it is kept") {
      System.gc()
      Option(task.get).isEmpty
    }
    assert(background.waiting == 1)
  }

  test("threads never work at the same time, and no wish is forgotten") {
    using(new BackgroundThreads) { threads =>
      val wishes = new AtomicInteger
      // Guarded by the turns: a race would lose increments.
      var (served, entered) = (0, 0)
      val turns = new TaskTurns(threads, new SystemClock, () => { served += wishes.getAndSet(0); entered += 1; None })
      val start = new CountDownLatch(1)
      val posters = (0 until 3).map { _ =>
        val poster = new Thread(() => {
          start.await()
          (0 until 20000).foreach { _ =>
            wishes.incrementAndGet()
            turns.wake()
          }
        })
        poster.start()
        poster
      }
      start.countDown()
      (0 until 20000).foreach(_ => turns.inTurn(entered += 1))
      posters.foreach(_.join())
      eventually(s"$served were served")(turns.whole(served) == 60000)
      assert(turns.whole(entered) >= 20000)
    }
  }

  test("a thread that waits for something holds up no other task, and closed threads run nothing") {
    val threads = new BackgroundThreads
    val blocked = new CountDownLatch(1)
    val done = new AtomicInteger
    using(threads) { threads =>
      threads.run(() => blocked.await())
      threads.run(() => { done.incrementAndGet(); () })
      eventually("it has not run")(done.get == 1)
      blocked.countDown()
    }
    threads.run(() => { done.incrementAndGet(); () })
    assert(done.get == 1)
  }
}
