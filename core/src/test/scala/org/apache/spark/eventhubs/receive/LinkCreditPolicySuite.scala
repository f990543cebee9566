package org.apache.spark.eventhubs.receive

import org.scalatest.funsuite.AnyFunSuite

class LinkCreditPolicySuite extends AnyFunSuite {

  private val mebibyte = 1L << 20

  test("before anything is known, every event may be as large as the service allows") {
    assert(new LinkCreditPolicy(16 * mebibyte, fullLinks = 4).prefetchCount == 16)
  }

  test("what a link holds prefetched stays within its bytes, whatever the size of the events") {
    for (size <- Seq(1000L, 5000L, 20000L, 100000L, mebibyte)) {
      val sizing = new LinkCreditPolicy(16 * mebibyte, fullLinks = 4)
      sizing.learn(100, 100 * size)
      assert(sizing.prefetchCount * size <= 16 * mebibyte, s"for events of $size bytes")
      assert(sizing.prefetchCount * 2 * (size + 256) > 16 * mebibyte || sizing.prefetchCount >= 4000)
    }
  }

  test("small events get as much credit as helps, and no more") {
    val sizing = new LinkCreditPolicy(16 * mebibyte, fullLinks = 4)
    sizing.learn(1000, 1000)
    assert(sizing.prefetchCount >= 2000 && sizing.prefetchCount <= 8000)
  }

  test("a small bound still leaves enough credit to keep a link moving") {
    val sizing = new LinkCreditPolicy(65536, fullLinks = 4)
    sizing.learn(10, 10 * mebibyte)
    assert(sizing.prefetchCount == 8)
  }

  test("growing events count at once, because they are what fills the heap") {
    val sizing = new LinkCreditPolicy(16 * mebibyte, fullLinks = 4)
    sizing.learn(10000, 10000 * 100)
    sizing.learn(16, 16 * mebibyte)
    assert(sizing.prefetchCount <= 16)
  }

  test("shrinking events are believed slowly, but they are") {
    val sizing = new LinkCreditPolicy(16 * mebibyte, fullLinks = 4)
    sizing.learn(16, 16 * mebibyte)
    sizing.learn(16, 16 * 100)
    assert(sizing.prefetchCount < 64)
    (1 to 40).foreach(_ => sizing.learn(4096, 4096 * 100))
    assert(sizing.prefetchCount >= 2000)
  }

  test("a link is replaced when it holds far too much or far less than it might, not for small changes") {
    val sizing = new LinkCreditPolicy(16 * mebibyte, fullLinks = 4)
    sizing.learn(100, 100 * 16000)
    val right = sizing.prefetchCount
    assert(!sizing.isMisfit(right))
    assert(!sizing.isMisfit(right / 2))
    assert(sizing.isMisfit(right / 4))
    assert(sizing.isMisfit(right * 2))
  }

  test("the credits in use are few, because the SDK keeps a client for each") {
    val sizing = new LinkCreditPolicy(16 * mebibyte, fullLinks = 4)
    val counts = (1 to 3000).map { size =>
      sizing.learn(1, size * 300L)
      sizing.prefetchCount
    }
    assert(counts.toSet.size <= 10)
  }

  test("waiting links hold no more together than so many of them may hold, but for a few events each") {
    val sizing = new LinkCreditPolicy(16 * mebibyte, fullLinks = 4)
    for (links <- 1 to 3000) {
      sizing.linkOpened()
      val each = sizing.waitingCount(4096)
      assert(links * each <= 4 * 4096 || each == 8, s"for $links links")
      assert(each >= 8 && each >= math.min(4096, 4 * 4096 / links), s"for $links links")
    }
  }

  test("what may wait is never more than the credit") {
    val sizing = new LinkCreditPolicy(16 * mebibyte, fullLinks = 1)
    (1 to 100).foreach(_ => sizing.linkOpened())
    assert(sizing.waitingCount(5) == 5)
  }

  test("a user's own count is taken as it is, and never found wrong") {
    val sizing = LinkCreditPolicy.fixed(123)
    sizing.learn(100, 100 * mebibyte)
    assert(sizing.prefetchCount == 123)
    (1 to 50).foreach(_ => sizing.linkOpened())
    assert(sizing.waitingCount(123) == 123)
    assert(!sizing.isMisfit(123))
  }

  test("nothing is learned from no events") {
    val sizing = new LinkCreditPolicy(16 * mebibyte, fullLinks = 4)
    sizing.learn(0, 0)
    assert(sizing.prefetchCount == 16)
  }
}
