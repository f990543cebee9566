package org.apache.spark.eventhubs.connection

import java.time.Duration

import scala.jdk.CollectionConverters._

import testkit.TestSuite

class ManagementRateLimiterSuite extends TestSuite {

  private val starts = (0 until 1024).map(ManagementRateLimiter.startMillis)

  test("no second has more calls than the service allows, with the call about the hub") {
    starts.foreach { from =>
      val within = starts.count(start => start >= from && start < from + 1000)
      assert(within + 1 <= 50, s"from $from ms on")
    }
  }

  test("calls about 40 partitions start at once, those about 1,024 partitions within 26 seconds") {
    assert(starts.take(40).forall(_ == 0))
    assert(starts.last < 26000)
  }

  test("each partition gets one call, in order, and the last call does not start early") {
    val ids = (0 until 44).map(_.toString)
    val began = System.nanoTime()
    val called = ManagementRateLimiter.spread(ids).collectList().block(Duration.ofSeconds(30)).asScala.toSeq
    assert(called == ids)
    assert(System.nanoTime() - began >= ManagementRateLimiter.startMillis(43) * 1000000L)
  }
}
