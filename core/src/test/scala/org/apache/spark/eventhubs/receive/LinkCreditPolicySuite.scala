package org.apache.spark.eventhubs.receive

import testkit.TestSuite

class LinkCreditPolicySuite extends TestSuite {

  private val mebibyte = 1L << 20

  test("before anything is known, every event may be as large as the service allows") {
    assert(new LinkCreditPolicy(16 * mebibyte, fullLinks = 4).prefetchCount == 16)
  }

  test("the prefetched events of a link stay within its bytes at any event size") {
    for (size <- Seq(1000L, 5000L, 20000L, 100000L, mebibyte)) {
      val policy = new LinkCreditPolicy(16 * mebibyte, fullLinks = 4)
      policy.learn(100, 100 * size)
      assert(policy.prefetchCount * size <= 16 * mebibyte, s"for events of $size bytes")
      assert(policy.prefetchCount * 2 * (size + 256) > 16 * mebibyte || policy.prefetchCount >= 4000)
    }
  }

  test("the credit for small events is bounded") {
    val policy = new LinkCreditPolicy(16 * mebibyte, fullLinks = 4)
    policy.learn(1000, 1000)
    assert(policy.prefetchCount >= 2000 && policy.prefetchCount <= 8000)
  }

  test("a link has a minimum credit, however small the bound in bytes") {
    val policy = new LinkCreditPolicy(65536, fullLinks = 4)
    policy.learn(10, 10 * mebibyte)
    assert(policy.prefetchCount == 8)
  }

  test("growing events reduce the credit at once, because they could fill the heap") {
    val policy = new LinkCreditPolicy(16 * mebibyte, fullLinks = 4)
    policy.learn(10000, 10000 * 100)
    policy.learn(16, 16 * mebibyte)
    assert(policy.prefetchCount <= 16)
  }

  test("shrinking events raise the credit slowly") {
    val policy = new LinkCreditPolicy(16 * mebibyte, fullLinks = 4)
    policy.learn(16, 16 * mebibyte)
    policy.learn(16, 16 * 100)
    assert(policy.prefetchCount < 64)
    (1 to 40).foreach(_ => policy.learn(4096, 4096 * 100))
    assert(policy.prefetchCount >= 2000)
  }

  test("a link is replaced for a far too large or far too small credit, not for small changes") {
    val policy = new LinkCreditPolicy(16 * mebibyte, fullLinks = 4)
    policy.learn(100, 100 * 16000)
    val right = policy.prefetchCount
    assert(!policy.isMisfit(right))
    assert(!policy.isMisfit(right / 2))
    assert(policy.isMisfit(right / 4))
    assert(policy.isMisfit(right * 2))
  }

  test("small changes of the event size do not change the credit: it is a power of two") {
    val policy = new LinkCreditPolicy(16 * mebibyte, fullLinks = 4)
    val counts = (1 to 3000).map { size =>
      policy.learn(1, size * 300L)
      policy.prefetchCount
    }
    assert(counts.toSet.size <= 10 && counts.forall(Integer.bitCount(_) == 1))
  }

  test("waiting links share a bound on prefetched events, and each keeps a minimum") {
    val policy = new LinkCreditPolicy(16 * mebibyte, fullLinks = 4)
    for (links <- 1 to 3000) {
      policy.linkOpened()
      val each = policy.waitingCount(4096)
      assert(links * each <= 4 * 4096 || each == 8, s"for $links links")
      // Beyond four links, two of them may have theirs alone.
      assert(each >= 8 && each >= (if (links <= 4) 4096 else 2 * 4096 / (links - 2)), s"for $links links")
    }
  }

  test("links whose tasks start soon may use their whole credit, and share the bound with the others") {
    for (fullLinks <- 1 to 9; links <- fullLinks + 1 to 3 * fullLinks) {
      val policy = new LinkCreditPolicy(16 * mebibyte, fullLinks)
      (1 to links).foreach(_ => policy.linkOpened())
      val whole = Iterator.continually(policy.reserveWhole()).takeWhile(identity).size
      assert(whole == fullLinks / 2)
      val held = (0 to whole).map(begun => begun * 4096 + (links - begun) * policy.waitingCount(4096))
      assert(held.forall(_ <= fullLinks * 4096) && held.last > (fullLinks - 1) * 4096, s"for $links links")
      (0 until whole).foreach { _ =>
        policy.endReservation()
        assert(policy.reserveWhole() && !policy.reserveWhole())
      }
    }
  }

  test("the share of a waiting link is never more than its credit") {
    val policy = new LinkCreditPolicy(16 * mebibyte, fullLinks = 1)
    (1 to 100).foreach(_ => policy.linkOpened())
    assert(policy.waitingCount(5) == 5)
  }

  test("a user's prefetchCount is used as it is and never replaced") {
    val policy = LinkCreditPolicy.fixed(123)
    policy.learn(100, 100 * mebibyte)
    assert(policy.prefetchCount == 123)
    (1 to 50).foreach(_ => policy.linkOpened())
    assert(policy.waitingCount(123) == 123 && !policy.reserveWhole())
    assert(!policy.isMisfit(123))
  }

  test("no events do not change the credit") {
    val policy = new LinkCreditPolicy(16 * mebibyte, fullLinks = 4)
    policy.learn(0, 0)
    assert(policy.prefetchCount == 16)
  }
}
