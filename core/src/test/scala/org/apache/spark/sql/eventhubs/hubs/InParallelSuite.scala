package org.apache.spark.sql.eventhubs.hubs

import java.util.concurrent.{CountDownLatch, TimeUnit}

import org.apache.spark.eventhubs.Background
import testkit.TestSuite

class InParallelSuite extends TestSuite {

  test("the results have the order of the values, and the first failure is thrown after all have ended") {
    assert(InParallel.map(1 to 100)(_ * 2) == (1 to 100).map(_ * 2))
    val ended = new CountDownLatch(40)
    val failed = intercept[IllegalStateException] {
      InParallel.map(1 to 40) { n =>
        ended.countDown()
        if (n % 7 == 0) throw new IllegalStateException(n.toString)
      }
    }
    assert(failed.getMessage == "7" && ended.getCount == 0)
  }

  test("each value is worked on with the class loader of its caller, also by threads that another session has started") {
    for (_ <- 1 to 2) {
      val loader = new ClassLoader(getClass.getClassLoader) {}
      val seen = Background {
        Thread.currentThread.setContextClassLoader(loader)
        InParallel.map(1 to 40)(_ => Thread.currentThread.getContextClassLoader)
      }
      assert(seen.result.toSet == Set(loader))
    }
  }

  test("a query whose hubs do not answer holds up no other") {
    val answered = new CountDownLatch(1)
    val asked = new CountDownLatch(16)
    val stalled = Background {
      InParallel.map(1 to 20) { n =>
        asked.countDown()
        answered.await()
        n
      }
    }
    try {
      assert(asked.await(30, TimeUnit.SECONDS))
      assert(Background(InParallel.map(1 to 20)(identity)).result == (1 to 20))
    } finally answered.countDown()
    assert(stalled.result == (1 to 20))
  }

  test("when the caller is interrupted, no further value is taken") {
    val asked = new CountDownLatch(16)
    val taken = new java.util.concurrent.atomic.AtomicInteger
    val stalled = Background {
      InParallel.map(1 to 40) { _ =>
        taken.incrementAndGet()
        asked.countDown()
        new CountDownLatch(1).await()
      }
    }
    assert(asked.await(30, TimeUnit.SECONDS))
    stalled.interrupt()
    assert(stalled.failure.isInstanceOf[InterruptedException])
    assert(taken.get <= 32, "of 40: a worker may take one value between the interrupt and the end")
  }
}
