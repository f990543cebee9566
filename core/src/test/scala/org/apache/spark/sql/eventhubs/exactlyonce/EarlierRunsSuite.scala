package org.apache.spark.sql.eventhubs.exactlyonce

import java.time.Duration
import java.util.concurrent.{ConcurrentLinkedQueue, CountDownLatch}

import org.apache.spark.eventhubs.executor.ExecutorResources
import org.apache.spark.sql.eventhubs.TestSpark
import testkit.TestSuite

class EarlierRunsSuite extends TestSuite with TestSpark {

  private val runs = ExecutorResources.get.writeRuns

  /** Runs `body` as a run of `write`. */
  private def running[A](write: String)(body: EarlierRuns => A): A = {
    val run = runs.begin(write)
    try body(new EarlierRuns(spark.sparkContext, write, run))
    finally run.close()
  }

  private def started(body: => Unit): Thread = {
    val thread = new Thread(() => body)
    thread.setDaemon(true)
    thread.start()
    thread
  }

  private def isWaiting(run: Thread): Boolean = run.getState == Thread.State.TIMED_WAITING || !run.isAlive

  test(
    "a run waits for an earlier one that has no job, for example while it reads back; not for one of another write"
  ) {
    val (begun, mayEnd) = (new CountDownLatch(1), new CountDownLatch(1))
    val order = new ConcurrentLinkedQueue[String]
    val first = started(running("batch 1") { _ =>
      begun.countDown()
      mayEnd.await()
      order.add("the first run ended")
      ()
    })
    begun.await()
    val second = started(running("batch 1") { later =>
      later.awaitEnd(Duration.ZERO)
      order.add("the second run continued")
      ()
    })
    running("batch 2")(_.awaitEnd(Duration.ZERO))
    eventually("the second run neither waits nor continues")(isWaiting(second))
    mayEnd.countDown()
    Seq(first, second).foreach(_.join())
    assert(order.toArray.toSeq == Seq("the first run ended", "the second run continued"))
  }

  test("two runs do not wait for each other: the one that began to wait later is the last") {
    val (begun, mayWait) = (new CountDownLatch(1), new CountDownLatch(1))
    val order = new ConcurrentLinkedQueue[String]
    val first = started(running("batch 1") { earlier =>
      begun.countDown()
      mayWait.await()
      earlier.awaitEnd(Duration.ZERO)
      order.add("first")
      ()
    })
    begun.await()
    val second = started(running("batch 1") { later =>
      later.awaitEnd(Duration.ZERO)
      order.add("second")
      ()
    })
    eventually("the second run does not wait")(isWaiting(second))
    mayWait.countDown()
    Seq(first, second).foreach(_.join())
    assert(order.toArray.toSeq == Seq("second", "first"))
  }

  test("a stopped context ends the wait with Spark's error, which says so") {
    val stopped = running("batch 1") { earlier =>
      earlier.awaitEnd(Duration.ZERO)
      spark.stop()
      intercept[IllegalStateException](earlier.awaitEnd(Duration.ZERO))
    }
    assert(stopped.getMessage.contains("stopped SparkContext"))
  }
}
