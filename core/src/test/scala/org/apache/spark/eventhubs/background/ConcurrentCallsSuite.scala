package org.apache.spark.eventhubs.background

import java.util.concurrent.{CountDownLatch, CyclicBarrier, TimeUnit}

import scala.collection.mutable
import scala.util.Try

import testkit.TestSuite

class ConcurrentCallsSuite extends TestSuite {

  private def names: Set[String] = {
    import scala.jdk.CollectionConverters._
    Thread.getAllStackTraces.keySet.asScala.map(_.getName).toSet
  }

  test("eight calls wait at the same time, and the results have the order of the items") {
    val together = new CyclicBarrier(8)
    val found = ConcurrentCalls.all("calls-a", 1 to 24) { number =>
      together.await(30, TimeUnit.SECONDS)
      number * 2
    }
    assert(found == (1 to 24).map(_ * 2))
    eventually("the threads end")(!names("calls-a"))
  }

  test("the first failure in the order of the items is thrown when all calls have ended") {
    val ended = mutable.Buffer.empty[(Int, Try[Int])]
    def call(number: Int): Int = if (number % 2 == 0) throw new IllegalStateException(s"no $number") else number
    ConcurrentCalls.each("calls-b", 1 to 9)(call)((number, result) => { ended += number -> result; () })
    assert(ended.map(_._1) == (1 to 9) && ended.count(_._2.isFailure) == 4)
    assert(intercept[IllegalStateException](ConcurrentCalls.all("calls-b", 1 to 9)(call)).getMessage == "no 2")
    assert(ConcurrentCalls.all("calls-b", Seq.empty[Int])(call).isEmpty)
  }

  test("an interrupted caller gets what the calls gave that had ended, and the others are interrupted") {
    val (answered, waiting) = (new CountDownLatch(2), new CountDownLatch(1))
    val ended = mutable.Buffer.empty[(Int, Try[Int])]
    @volatile var isInterrupted = false
    val caller = new Thread(() =>
      try ConcurrentCalls.each("calls-c", Seq(1, 2, 3)) { number =>
          if (number == 2) {
            waiting.countDown()
            new CountDownLatch(1).await()
          } else answered.countDown()
          number
        }((number, result) => { ended += number -> result; () })
      catch { case _: InterruptedException => isInterrupted = true }
    )
    caller.start()
    answered.await()
    waiting.await()
    caller.interrupt()
    caller.join()
    assert(isInterrupted && ended.filter(_._2.isSuccess).map(_._1) == Seq(1, 3))
    eventually("the threads end")(!names("calls-c"))
  }
}
