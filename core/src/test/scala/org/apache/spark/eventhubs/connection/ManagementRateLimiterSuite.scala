package org.apache.spark.eventhubs.connection

import java.time.Duration

import scala.jdk.CollectionConverters._

import org.scalatest.funsuite.AnyFunSuite

class ManagementRateLimiterSuite extends AnyFunSuite {

  private val starts = (0 until 1024).map(ManagementRateLimiter.startMillis)

  test("no second has more questions than the service allows, the one about the hub among them") {
    starts.foreach { from =>
      val within = starts.count(start => start >= from && start < from + 1000)
      assert(within + 1 <= 50, s"from $from ms on")
    }
  }

  test("a hub of 40 partitions is asked without waiting, one of 1,024 in 26 seconds") {
    assert(starts.take(40).forall(_ == 0))
    assert(starts.last < 26000)
  }

  test("each partition is asked for once, in order, and the last not before its time") {
    val ids = (0 until 44).map(_.toString)
    val began = System.nanoTime()
    val asked = ManagementRateLimiter.paced(ids).collectList().block(Duration.ofSeconds(30)).asScala.toSeq
    assert(asked == ids)
    assert(System.nanoTime() - began >= ManagementRateLimiter.startMillis(43) * 1000000L)
  }
}
